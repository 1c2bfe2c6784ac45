"""The training kernel."""
