"""Compiled kernels and their readable reference implementation. README.md maps the paper to the code."""
