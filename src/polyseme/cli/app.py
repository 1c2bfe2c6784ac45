"""The `polyseme` command: its subcommands, and the message and exit status of each error."""

from __future__ import annotations

import errno
import os
import signal
import sys
from typing import NoReturn

from cyclopts import App, CycloptsError, Parameter, UnusedCliTokensError

from polyseme import __version__
from polyseme.cli.arguments import convert_value
from polyseme.cli.demo import demo
from polyseme.cli.disambiguate import disambiguate
from polyseme.cli.encode import encode
from polyseme.cli.evaluate import evaluate
from polyseme.cli.explore import explore
from polyseme.cli.export import export
from polyseme.cli.import_ import import_
from polyseme.cli.info import info
from polyseme.cli.neighbours import neighbours
from polyseme.cli.refine import refine
from polyseme.cli.reproduce import reproduce
from polyseme.cli.senses import senses
from polyseme.cli.signals import received, with_hint
from polyseme.cli.similarity import similarity
from polyseme.cli.streams import discard_output, prepare_streams
from polyseme.cli.tag import tag
from polyseme.cli.train import train
from polyseme.errors import Interrupted, PolysemeError, UnknownWord

NOT_FOUND, ERROR = 1, 2
MAX_MESSAGE = 900  # characters

USAGE = {
    "train": "Usage: polyseme train CORPUS... MODEL [OPTIONS]",
    "encode": "Usage: polyseme encode CORPUS... OUT [OPTIONS]",
    "reproduce": "Usage: polyseme reproduce CORPUS... OUT --data PATH [OPTIONS]",
    "disambiguate": "Usage: polyseme disambiguate MODEL WORD [CONTEXT] [OPTIONS]",
    "tag": "Usage: polyseme tag MODEL [FILE] [OPTIONS]",
    "explore": "Usage: polyseme explore MODEL [MODEL2] [OPTIONS]",
    "evaluate": "Usage: polyseme evaluate MODEL TASK [DATA] [OPTIONS]",
}

app = App(
    name="polyseme",
    version=__version__,
    help="Word embeddings with one vector per meaning.",
    help_format="plaintext",  # Markdown would take longer to import than all of the rest
    default_parameter=Parameter(converter=convert_value),
    help_on_error=False,
    result_action="return_value",
    suppress_keyboard_interrupt=False,
)
COMMANDS = (
    demo, train, senses, neighbours, disambiguate, tag, similarity, explore, refine, evaluate, reproduce, info, export,
    import_, encode,
)  # fmt: skip
for command in COMMANDS:
    app.command(command, sort_key=len(list(app)), usage=USAGE.get(command.__name__))


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command and exit with 0 (success), 1 (nothing found) or 2 (error, with a message of one line)."""
    prepare_streams()
    try:
        app(arguments, exit_on_error=False, print_error=False)
        sys.stdout.flush()
    except CycloptsError as error:
        problem = f"{error}"
        if isinstance(error, UnusedCliTokensError):
            extra = " ".join(error.unused_tokens or [])
            problem = f"unexpected arguments: {extra}. Put quotes around a text with spaces."
        _fail(f"{problem} See: {' '.join(['polyseme', *(error.command_chain or [])])} --help")
    except UnknownWord as error:
        _fail(str(error), NOT_FOUND)
    except Interrupted as error:
        _fail(with_hint(str(error)), 128 + error.signal)
    except PolysemeError as error:
        _fail(str(error))
    except BrokenPipeError:  # the reader of standard output has exited, as `head` does: success
        discard_output()
    except SystemExit as error:
        if not isinstance(error.__context__, BrokenPipeError):
            raise
        discard_output()  # the same in rich, which prints the help
    except KeyboardInterrupt as error:
        _fail(with_hint(), 128 + (error.args[0] if error.args else signal.SIGINT))
    except MemoryError:
        _fail("not enough memory; try a smaller --dim, --max-vocabulary or --multi-sense-top.")
    except OSError as error:
        _fail(_explain(error))
    except Exception as error:
        if os.environ.get("POLYSEME_DEBUG"):
            raise
        if received:  # an interrupted library can raise any error: Numba a RuntimeError, for instance
            _fail(with_hint(), 128 + received[0])
        _fail(
            f"internal error: {type(error).__name__}: {error}. "
            f"Please report it; run the command with POLYSEME_DEBUG=1 for a traceback."
        )
    sys.exit(0)


def _explain(error: OSError) -> str:
    """The message for an error of the operating system."""
    where = f" ({error.filename})" if error.filename else ""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return f"the disk is full{where}: {error.strerror}. Free some space and run the command again."
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return f"no permission{where}: {error.strerror}. Choose another path, or change its permissions."
        case errno.ENAMETOOLONG:
            return f"the file name is too long{where}; choose a shorter one."
        case errno.EBADF if not error.filename:
            return f"standard input or output is closed ({error.strerror}); redirect it to a file or to /dev/null."
    return f"{error}. Check the path and the disk."


def _fail(message: str, status: int = ERROR) -> NoReturn:
    line = " ".join(message.split())
    if len(line) > MAX_MESSAGE:  # of an argument that is as long; the end says what to do
        line = f"{line[: MAX_MESSAGE // 2]} ... {line[-MAX_MESSAGE // 3 :]}"
    print(f"polyseme: {line}", file=sys.stderr)
    try:
        sys.stdout.flush()
    except OSError:
        discard_output()
    sys.exit(status)
