"""Vectors of other programs, in and out. `registry.py` lists the formats."""
