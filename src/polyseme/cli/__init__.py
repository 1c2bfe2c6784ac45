"""The command line: app.py, and one file per command. Modules import what is slow only when they run."""
