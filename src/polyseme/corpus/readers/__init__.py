"""Readers: text sources as blocks of valid UTF-8."""
