"""Readers: from sources to blocks of valid UTF-8 text."""
