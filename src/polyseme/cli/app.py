"""The `polyseme` command: its subcommands, and how each error ends."""

from __future__ import annotations

import errno
import os
import sys
from io import TextIOWrapper
from typing import NoReturn

from cyclopts import App, CycloptsError

from polyseme import __version__
from polyseme.cli.demo import demo
from polyseme.cli.disambiguate import disambiguate
from polyseme.cli.encode import encode
from polyseme.cli.evaluate import evaluate
from polyseme.cli.info import info
from polyseme.cli.neighbours import neighbours
from polyseme.cli.reproduce import reproduce
from polyseme.cli.senses import senses
from polyseme.cli.similarity import similarity
from polyseme.cli.tag import tag
from polyseme.cli.train import train
from polyseme.errors import Interrupted, PolysemeError, UnknownWord

NOT_FOUND, ERROR = 1, 2

USAGE = {
    "train": "Usage: polyseme train CORPUS... MODEL [OPTIONS]",
    "encode": "Usage: polyseme encode CORPUS... OUT [OPTIONS]",
}

app = App(
    name="polyseme",
    version=__version__,
    help="Word embeddings with one vector per meaning: from a text to senses, in one command.",
    help_on_error=False,
    result_action="return_value",
    suppress_keyboard_interrupt=False,
)
for command in (demo, train, senses, neighbours, disambiguate, tag, similarity, evaluate, reproduce, info, encode):
    app.command(command, sort_key=len(list(app)), usage=USAGE.get(command.__name__))


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command and exit: 0 done, 1 nothing found, 2 an error, in one line that says what to do next."""
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app(arguments, exit_on_error=False, print_error=False)
        sys.stdout.flush()
    except CycloptsError as error:
        _fail(f"{error} See: polyseme --help")
    except UnknownWord as error:
        _fail(str(error), NOT_FOUND)
    except Interrupted as error:
        _fail(str(error), 128 + getattr(error, "signal", 2))
    except PolysemeError as error:
        _fail(str(error))
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        _fail("stopped.", 130)
    except MemoryError:
        _fail("not enough memory; try a smaller --dim, --max-vocabulary or --multi-sense-top.")
    except OSError as error:
        _fail(_explain(error))
    except Exception as error:
        if os.environ.get("POLYSEME_DEBUG"):
            raise
        _fail(
            f"this should not happen: {type(error).__name__}: {error}. Please report it; POLYSEME_DEBUG=1 shows where."
        )
    sys.exit(0)


def _explain(error: OSError) -> str:
    """What went wrong with a file, and what to do."""
    where = f" ({error.filename})" if error.filename else ""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return f"the disk is full{where}: {error.strerror}. Free some space and run the same again."
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return f"no permission{where}: {error.strerror}. Choose another place, or change its permissions."
        case errno.ENAMETOOLONG:
            return f"that name is too long{where}; choose a shorter one."
    return f"{error}. Check the path, and that the disk works."


def _fail(message: str, status: int = ERROR) -> NoReturn:
    print("polyseme: " + " ".join(message.split()), file=sys.stderr)
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)
