"""Judging sense vectors, with controls beside every score."""
