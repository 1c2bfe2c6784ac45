"""The entry point of the `polyseme` command and of `python -m polyseme`."""

import os

try:
    from polyseme.cli.signals import exit_on_signals
except KeyboardInterrupt:  # Ctrl-C before the signals are handled
    os.write(2, b"polyseme: stopped.\n")
    os._exit(130)


def main() -> None:
    """Handle signals, then import and run the command line: the import takes long enough to be interrupted."""
    exit_on_signals()
    from polyseme.cli.app import main as run

    run()


if __name__ == "__main__":
    main()
