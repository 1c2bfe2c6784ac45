"""The only hot code, and its slow, obvious twin. README.md maps the paper to the code."""
