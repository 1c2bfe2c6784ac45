"""The command line: app.py, and one file per command. Slow imports are inside functions, so that --help is fast."""
