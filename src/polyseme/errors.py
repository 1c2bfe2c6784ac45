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


def check_str(value: object, what: str) -> None:
    """Raise ConfigError if a value that users give in Python is not a str."""
    if not isinstance(value, str):
        raise ConfigError(f"{what} must be a str, not {shorten(repr(value))}.")


class PolysemeError(Exception):
    """Base class of all errors that polyseme raises on purpose.

    >>> try:
    ...     model.senses("guitr")
    ... except polyseme.PolysemeError as error:
    ...     print(error)
    'guitr' is not among the 54 words of this model (the rarest occurs 47 times). Closest: guitar.
    """


class ConfigError(PolysemeError, ValueError):
    """Invalid hyper-parameter or option.

    >>> polyseme.TrainConfig(dim=0)
    Traceback (most recent call last):
    polyseme.errors.ConfigError: --dim must be between 1 and 10000, not 0.
    """


class CorpusError(PolysemeError, ValueError):
    """Text that cannot be read or is too short for training.

    >>> polyseme.train(texts=["a river bank"])
    Traceback (most recent call last):
    polyseme.errors.CorpusError: 0 of 3 distinct words are in the vocabulary (the most frequent, 'a', occurs 1 times);
    at least 2 are needed. Give more text or a lower --min-count than 5.
    """


class DataError(PolysemeError, ValueError):
    """Malformed data, such as evaluation data or files of vectors; the message names the file and the line.

    >>> model.save("news.model")
    >>> polyseme.SenseVectorizer("news.model").transform("a single text")
    Traceback (most recent call last):
    polyseme.errors.DataError: a list of documents is needed, not 'a single text'; put a single one into a list.
    """


class HubError(PolysemeError, OSError):
    """The Hugging Face Hub has no such model, gives no permission, or cannot be reached.

    >>> polyseme.SenseModel.from_pretrained("user/name", local_files_only=True)
    Traceback (most recent call last):
    polyseme.errors.HubError: user/name is not in the cache, and downloads are turned off (...).
    """


class MissingExtra(PolysemeError, ImportError):
    """An optional dependency is not installed; the message says how to install it.

    >>> raise polyseme.MissingExtra("the Hub needs huggingface_hub: pip install 'polyseme[hub]'")
    Traceback (most recent call last):
    polyseme.errors.MissingExtra: the Hub needs huggingface_hub: pip install 'polyseme[hub]'
    """


class MissingFile(PolysemeError, FileNotFoundError):
    """A file or folder does not exist.

    >>> polyseme.load("nowhere.model")
    Traceback (most recent call last):
    polyseme.errors.MissingFile: nowhere.model does not exist; train a model with: polyseme train CORPUS nowhere.model
    """


class OutputExists(PolysemeError, FileExistsError):
    """The output path exists already, and overwriting was not requested.

    >>> model.save("news.txt")
    Traceback (most recent call last):
    polyseme.errors.OutputExists: news.txt already exists; choose another name, or overwrite it with --force.
    """


class ModelError(PolysemeError, ValueError):
    """A model folder is incomplete, damaged, or of a newer format.

    >>> polyseme.SenseModel.load(".")
    Traceback (most recent call last):
    polyseme.errors.ModelError: . is not a model: it has no config.json. Train one with: polyseme train
    """


class TrainingError(PolysemeError, RuntimeError):
    """Training cannot start or continue.

    >>> model.save("news.model")
    >>> polyseme.train("news.txt", "news.model", dim=100, resume=True)
    Traceback (most recent call last):
    polyseme.errors.TrainingError: ...news.model has --dim 8, not 100; choose another name for the model, ...
    """


class UnknownWord(PolysemeError, KeyError):
    """The model does not have this word or sense.

    >>> model.vector("bank#3")
    Traceback (most recent call last):
    polyseme.errors.UnknownWord: 'bank' has 2 senses: bank#1, bank#2.
    """

    def __str__(self) -> str:  # KeyError would show the message in quotes
        return str(self.args[0])


class Interrupted(PolysemeError):
    """A command was stopped on request; training can be resumed.

    >>> polyseme.train("news.txt", "news.model", model="skip-gram", dim=8, stop=lambda: True)
    Traceback (most recent call last):
    polyseme.errors.Interrupted: ...
    >>> polyseme.train("news.txt", "news.model", model="skip-gram", dim=8, resume=True)
    <SenseModel skip-gram: 54 words, 54 senses, 8 dimensions>
    """

    signal = 2  # the number of the signal that the command line received: SIGINT unless it is set
