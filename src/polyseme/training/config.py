"""TrainConfig: the single list of hyper-parameters. Flags, checkpoints and the model's card come from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, get_args

from polyseme.errors import ConfigError

if TYPE_CHECKING:  # flags are made from this module: it must be quick to import
    import numpy as np
    from numpy.typing import NDArray

    from polyseme.vocabulary import Vocabulary

ModelName = Literal["skip-gram", "mssg", "np-mssg", "mssg-maxout", "random-senses"]
OptimizerName = Literal["sgd", "adagrad"]
SenseInit = Literal["clusters", "contexts", "zero"]
OutputVectors = Literal["sense+global", "sense"]
RecipeName = Literal["default", "paper"]

MOST_SENSES = 100
THINNED_ABOVE = 2000  # uses of a word, in a corpus of middling size


def _setting(
    default: Any, doc: str, low: float | None = None, high: float | None = None, one_of: tuple[str, ...] = ()
) -> Any:
    """A field with its rule: the lowest and highest value, or the values it may take."""
    return field(default=default, metadata={"doc": doc, "low": low, "high": high, "one_of": one_of})


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """Hyper-parameters of a training run. Defaults are those of the default recipe."""

    model: ModelName = _setting("mssg", "The model; random-senses is a control", one_of=get_args(ModelName))
    dim: int = _setting(100, "Length of a vector", 1, 10_000)
    senses: int = _setting(3, "Senses per word of mssg and mssg-maxout", 1, MOST_SENSES)
    max_senses: int = _setting(3, "Most senses per word of np-mssg", 1, MOST_SENSES)
    min_separation: float = _setting(0.31, "np-mssg takes clusters that are less apart for one sense", 0, 4)
    new_sense_threshold: float = _setting(-1.0, "np-mssg makes a new sense when the best cosine is below this", -1, 1)
    window: int = _setting(5, "Most words of context on each side", 1, 1000)
    sense_window: int = _setting(
        20, "Words on each side that choose the sense, if whitened; 0 for those it learns from", 0, 1000
    )
    sense_decay: float = _setting(0.85, "How much each of them counts of what the next nearer one does", 0, 1)
    negatives: int = _setting(5, "Noise words per context word", 1, 100)
    max_negatives: int = _setting(
        16, "Most noise words drawn per token; a window that asks for more shares them", 1, 10**6
    )
    negative_sharing: int = _setting(4, "Tokens in a row that share a draw of noise words", 1, 10**6)
    epochs: int = _setting(5, "Passes over the corpus", 1, 10_000)
    learning_rate: float = _setting(0.025, "First step size; sgd lets it fall to 0", 1e-9, 10)
    optimizer: OptimizerName = _setting("sgd", "How vectors are moved", one_of=get_args(OptimizerName))
    adagrad_delta: float = _setting(0.1, "Added to AdaGrad's root, against large first steps", 0, 10)
    warmup: float = _setting(0.4, "Share of the training during which words have one sense", 0, 0.9)
    whitening: float = _setting(0.9, "How far contexts are whitened to choose senses; 0 for not at all", 0, 1)
    sense_dim: int = _setting(64, "Directions of the whitened space that are kept, at most", 1, 10_000)
    sense_init: SenseInit = _setting(
        "clusters",
        "Where senses start: at clusters of a word's contexts, at its first contexts, or at zero",
        one_of=get_args(SenseInit),
    )
    output_vectors: OutputVectors = _setting(
        "sense+global",
        "Sense vectors that are kept: with the word's global vector added and the mean of all taken off, or as learned",
        one_of=get_args(OutputVectors),
    )
    subsample: float | None = _setting(
        None,
        "Frequency above which words are thinned, 0 for never; else 1e-3 up to 2 million tokens, 1e-4 from 20 on",
        0,
        1,
    )
    min_count: int = _setting(5, "Words seen less often are left out", 1, 10**12)
    max_vocabulary: int | None = _setting(None, "Most words to keep", 2, 10**9)
    multi_sense_top: int = _setting(30_000, "Only so many of the most frequent words get several senses", 0, 10**9)
    multi_sense_min_count: int = _setting(100, "Occurrences a word needs to get several senses", 1, 10**12)
    multi_sense_words: tuple[str, ...] | None = _setting(None, "The words that get several senses, instead of those")
    examples: int = _setting(5, "Example sentences kept for each sense", 0, 1000)
    seed: int = _setting(1, "Of all that is random", 0, 2**63 - 1)
    threads: int = _setting(0, "0 for one per core; one thread gives the same bits each time", 0, 1024)

    def __post_init__(self) -> None:
        for f in fields(self):
            object.__setattr__(self, f.name, _checked(f.name, f.type, getattr(self, f.name), f.metadata))

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def subsample_for(self, tokens: int) -> float:
        """The frequency above which words are thinned: in a small corpus they have no uses to give away."""
        return min(max(THINNED_ABOVE / max(tokens, 1), 1e-4), 1e-3) if self.subsample is None else self.subsample

    def may_have_several_senses(self, vocabulary: Vocabulary) -> NDArray[np.bool_]:
        """Which words of a vocabulary the settings give several senses."""
        return vocabulary.multi_sense_mask(
            top=self.multi_sense_top, min_count=self.multi_sense_min_count, listed=self.multi_sense_words
        )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TrainConfig:
        """The config of `to_dict`, also when it went through JSON; ValueError if it is of another version."""
        names = {f.name for f in fields(cls)}
        if other := sorted(names ^ set(values)):
            raise ValueError(f"it is of another version, by its {', '.join(other)}")
        return cls(**values)


# The paper's settings, to the letter: Neelakantan et al. (2014), sections 5 and 6.
PAPER: dict[str, Any] = {
    "optimizer": "adagrad",
    "learning_rate": 0.025,
    "negatives": 1,
    "max_negatives": 10**6,
    "negative_sharing": 1,
    "subsample": 1e-3,
    "window": 5,
    "sense_window": 0,
    "sense_decay": 1.0,
    "senses": 3,
    "max_senses": 10,
    "new_sense_threshold": -0.5,
    "min_count": 20,
    "epochs": 1,
    "warmup": 0.0,
    "whitening": 0.0,
    "sense_init": "zero",
    "output_vectors": "sense",
    "multi_sense_min_count": 20,
}
RECIPES: dict[str, dict[str, Any]] = {"default": {}, "paper": PAPER}


def make_config(recipe: str = "default", **given: Any) -> TrainConfig:
    """A recipe's settings, with those given in their place.

    >>> make_config("paper", dim=300).negatives
    1
    """
    if recipe not in RECIPES:
        raise ConfigError(f"recipe '{recipe}' is not known; take {' or '.join(RECIPES)}.")
    known = {f.name for f in fields(TrainConfig)}
    for name in given:
        if name not in known:
            raise ConfigError(f"'{name}' is not a setting; the settings are: {', '.join(sorted(known))}.")
    return TrainConfig(**{**RECIPES[recipe], **given})


def _checked(name: str, kind: object, value: Any, rule: Mapping[str, Any]) -> Any:
    """The value of a setting, in Python's own types; one sentence for each that cannot be."""
    if rule["one_of"] and value not in rule["one_of"]:
        raise ConfigError(f"--{_flag(name)} must be one of {', '.join(rule['one_of'])}, not '{value}'.")
    low, high = rule["low"], rule["high"]
    if name == "multi_sense_words" and value is not None:
        if isinstance(value, str) or not all(isinstance(word, str) for word in value):
            raise ConfigError("multi_sense_words must be a collection of words; the flag takes a file of them.")
        return tuple(value)
    if low is None or (value is None and str(kind).endswith("None")):
        return value
    whole = str(kind).startswith("int")
    if isinstance(value, bool) or not isinstance(value, Integral if whole else Real) or value != value:
        raise ConfigError(f"--{_flag(name)} must be a {'whole ' if whole else ''}number, not {value!r}.")
    if value < low or (high is not None and value > high):
        bounds = f"{low} or more" if high is None else f"between {low} and {high}"
        raise ConfigError(f"--{_flag(name)} must be {bounds}, not {value}.")
    return int(value) if whole else float(value)  # type: ignore[call-overload]


def _flag(name: str) -> str:
    return name.replace("_", "-")
