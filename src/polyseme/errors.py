"""The errors a user can meet: each says what is wrong, with the value, and what to do next."""

MAX_SHOWN = 60  # characters of a value in a message
_CONTROLS = dict.fromkeys([*range(32), *range(127, 160), 0x2028, 0x2029], " ")  # would break the line


def shorten(value: object, max_length: int = MAX_SHOWN) -> str:
    """A value for a message: one line of at most `max_length` characters.

    >>> shorten("a" * 1000, 10), shorten("two\\nlines")
    ('aaaaaaa...', 'two lines')
    """
    text = str(value)
    text = text if len(text) <= max_length else text[: max_length - 3] + "..."
    return text.translate(_CONTROLS)


class PolysemeError(Exception):
    """Base class of all errors that polyseme raises on purpose."""


class ConfigError(PolysemeError, ValueError):
    """Invalid hyper-parameter or option."""


class CorpusError(PolysemeError, ValueError):
    """Text that cannot be read or is too short for training."""


class DataError(PolysemeError, ValueError):
    """Malformed evaluation data; the message names the file and the line."""


class HubError(PolysemeError, OSError):
    """The Hugging Face Hub has no such model, gives no permission, or cannot be reached."""


class MissingExtra(PolysemeError, ImportError):
    """An optional dependency is not installed; the message says how to install it."""


class MissingFile(PolysemeError, FileNotFoundError):
    """A file or folder does not exist."""


class OutputExists(PolysemeError, FileExistsError):
    """The output path exists already, and overwriting was not requested."""


class ModelError(PolysemeError, ValueError):
    """A model folder is incomplete, damaged, or of a newer format."""


class TrainingError(PolysemeError, RuntimeError):
    """Training cannot start or continue."""


class UnknownWord(PolysemeError, KeyError):
    """The model does not have this word or sense."""

    def __str__(self) -> str:  # KeyError would show the message in quotes
        return str(self.args[0])


class Interrupted(PolysemeError):
    """A command was stopped on request; training can be resumed."""

    signal = 2  # the number of the signal that the command line received: SIGINT unless it is set
