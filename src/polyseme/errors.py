"""The errors a user can meet: each says what is wrong, with the value, and what to do next."""


class PolysemeError(Exception):
    """Base of every error that polyseme raises on purpose."""


class ConfigError(PolysemeError, ValueError):
    """A hyper-parameter that cannot be."""


class CorpusError(PolysemeError, ValueError):
    """Text that cannot be read, or holds too little to learn from."""


class DataError(PolysemeError, ValueError):
    """An evaluation data set that is not as it should be; says the file and the line."""


class MissingExtra(PolysemeError, ImportError):
    """A part of polyseme that is installed only if asked for; says how."""


class MissingFile(PolysemeError, FileNotFoundError):
    """A file or folder that is not there."""


class OutputExists(PolysemeError, FileExistsError):
    """An output path that is taken; nothing is overwritten unasked."""


class ModelError(PolysemeError, ValueError):
    """A model folder that is incomplete, damaged, or too new."""


class TrainingError(PolysemeError, RuntimeError):
    """A training run that cannot go on."""


class UnknownWord(PolysemeError, KeyError):
    """A word or a sense that the model does not have."""

    def __str__(self) -> str:  # KeyError would show the message in quotes
        return str(self.args[0])


class Interrupted(PolysemeError):
    """Training was asked to stop, and did so at a point from which it can go on."""
