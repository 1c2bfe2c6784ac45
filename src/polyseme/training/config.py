"""TrainConfig: the single list of hyper-parameters. Command-line options, checkpoints and model cards come from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from difflib import get_close_matches
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, TypedDict, get_args

from polyseme.errors import ConfigError

if TYPE_CHECKING:  # `polyseme --help` imports this module: it must not import NumPy
    import numpy as np
    from numpy.typing import NDArray

    from polyseme.vocabulary import Vocabulary

ModelName = Literal["skip-gram", "mssg", "np-mssg", "mssg-maxout", "random-senses"]
OptimizerName = Literal["sgd", "adagrad"]
SenseInit = Literal["clusters", "contexts", "zero"]
OutputVectors = Literal["sense+global", "sense"]
PosteriorName = Literal[
    "softmax", "inverse-distance"
]  # as `Posterior` in model/disambiguation.py; a test compares them
RecipeName = Literal["default", "paper"]
GroupName = Literal["model", "senses", "optimisation", "vocabulary", "run"]

MAX_SENSES = 100
# Settings that runs of version 0.1 do not have. Their defaults are what it did.
NEW_SETTINGS = {"posterior", "min_share", "phrases", "phrase_threshold", "phrase_min_count", "phrase_passes"}
SUBSAMPLED_OCCURRENCES = 2000  # words with more occurrences are subsampled, in a corpus of 2 to 20 million tokens


def _setting(
    group: GroupName,
    default: Any,
    low: float | None = None,
    high: float | None = None,
    *,
    choices: tuple[str, ...] = (),
    common: bool = False,
    reason: str = "",
    help: str,
) -> Any:
    """A field of TrainConfig with its valid values and its help.

    group   the group of options in which the help shows it
    common  whether it is among the options that people change first
    reason  why it has this default, or what the default means, in a few words
    help    what the option does, and when to change it
    """
    rule = {"low": low, "high": high, "choices": choices}
    return field(default=default, metadata={**rule, "group": group, "common": common, "reason": reason, "help": help})


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """Hyper-parameters of a training run. The defaults are those of the default recipe.

    Settings that the model does not use are ignored: TrainConfig(senses=5) has the model np-mssg, which discovers the
    number of senses. `polyseme.train(senses=5)` chooses mssg instead.

    Raises ConfigError if a value is out of range or of another type.

    >>> config = polyseme.TrainConfig(dim=200, seed=7)
    >>> config.dim, config.model
    (200, 'np-mssg')
    """

    # fmt: off
    model: ModelName = _setting(
        "model", "np-mssg", choices=get_args(ModelName), common=True,
        reason="senses are discovered where words have them; with --senses: mssg",
        help="np-mssg: the number of senses is discovered for each word. mssg: each frequent word has the same number "
             "of senses, see --senses. mssg-maxout: mssg without cluster centers. skip-gram: one vector per word. "
             "random-senses: a control, with senses assigned at random.",
    )
    dim: int = _setting(
        "model", 100, 1, 10_000, common=True, reason="as in fastText",
        help="Dimensions of the vectors. Raise to 300 for a large corpus; time and memory grow with it.",
    )
    window: int = _setting(
        "model", 5, 1, 1000, common=True, reason="as in word2vec",
        help="Maximum number of context words on each side. A small window favours syntax, a large one topics.",
    )
    output_vectors: OutputVectors = _setting(
        "model", "sense+global", choices=get_args(OutputVectors),
        reason="the global vector is trained on all occurrences",
        help="sense+global: the sense vector plus the word's global vector, centered at the mean of all senses. sense: "
             "the sense vector alone, as in the paper.",
    )
    examples: int = _setting(
        "model", 5, 0, 1000,
        help="Example sentences stored for each sense; 0 for none.",
    )

    senses: int = _setting(
        "senses", 3, 1, MAX_SENSES, common=True, reason="as in the paper",
        help="Number of senses per word for mssg, mssg-maxout and random-senses. Without --model it chooses mssg.",
    )
    max_senses: int = _setting(
        "senses", 4, 1, MAX_SENSES, reason="separates ambiguous words from others best",
        help="Maximum number of senses per word for np-mssg. Raise it if words of your corpus have more meanings.",
    )
    min_separation: float = _setting(
        "senses", 0.54, 0, 2, reason="splits 8 of 10 ambiguous words, and 1 or 2 of 10 nouns with one meaning",
        help="np-mssg merges senses whose separation is lower. Lower it to find more senses; more words with one "
             "meaning are then split as well.",
    )
    new_sense_threshold: float = _setting(
        "senses", -1.0, -1, 1, reason="never, as clusters give the senses; -0.5 in the paper",
        help="np-mssg adds a sense during training if the cosines of a context with all senses of the word are lower.",
    )
    sense_window: int = _setting(
        "senses", 20, 0, 1000, reason="distant words indicate the topic",
        help="Number of context words on each side that choose the sense; 0 to choose by the training window.",
    )
    sense_decay: float = _setting(
        "senses", 0.85, 0, 1, reason="most accurate on pseudowords",
        help="Decay of a context word's weight per position in the sense window; 1 for equal weights.",
    )
    whitening: float = _setting(
        "senses", 0.9, 0, 1, reason="np-mssg finds few senses without it",
        help="Strength of the whitening of contexts before they are compared: 1 gives all principal components the "
             "same variance, 0 turns whitening off.",
    )
    sense_dim: int = _setting(
        "senses", 64, 1, 10_000, reason="nearly as accurate as all, in less memory",
        help="Maximum number of principal components by which whitened contexts are compared.",
    )
    sense_init: SenseInit = _setting(
        "senses", "clusters", choices=get_args(SenseInit), reason="for np-mssg to discover the number of senses",
        help="Initial cluster centers of a word. clusters: k-means of a sample of its contexts. contexts: its first "
             "contexts. zero: the zero vector, as in the paper.",
    )
    warmup: float = _setting(
        "senses", 0.4, 0, 0.9, reason="contexts of untrained vectors are not informative",
        help="Fraction of the training during which each word has one sense.",
    )
    multi_sense_top: int = _setting(
        "senses", 30_000, 0, 10**9, reason="as in the paper",
        help="Number of words that can have several senses: the most frequent ones. Lower it to save memory.",
    )
    multi_sense_min_count: int = _setting(
        "senses", 100, 1, 10**12, reason="fewer contexts do not cluster well",
        help="Occurrences that a word needs to have several senses. Lower it for a small corpus.",
    )
    multi_sense_words: tuple[str, ...] | None = _setting(
        "senses", None,
        help="File with the words that can have several senses, one per line, instead of the most frequent ones.",
    )
    posterior: PosteriorName = _setting(
        "senses", "softmax", choices=get_args(PosteriorName), reason="gives more decisive probabilities",
        help="How queries to the model compute the probabilities of senses, unless they say otherwise. softmax: by "
             "share and cosine. inverse-distance: by the inverse of the cosine distance, as in the paper.",
    )
    min_share: float = _setting(
        "senses", 0.01, 0, 1, reason="rarer senses are mostly noise",
        help="Share of its word's tokens that a sense needs to be shown and used in queries; 0 to use all senses.",
    )

    epochs: int = _setting(
        "optimisation", 5, 1, 10_000, common=True, reason="as in word2vec",
        help="Number of epochs. Raise it for a small corpus.",
    )
    negatives: int = _setting(
        "optimisation", 5, 1, 100, common=True, reason="as in word2vec",
        help="Negative samples per context word.",
    )
    max_negatives: int = _setting(
        "optimisation", 16, 1, 10**6, reason="as accurate as without sharing, and faster",
        help="Maximum number of negative samples per token. If its context words need more, they share them.",
    )
    negative_sharing: int = _setting(
        "optimisation", 4, 1, 10**6, reason="as accurate as without sharing, and faster",
        help="Number of consecutive tokens that share their negative samples.",
    )
    learning_rate: float = _setting(
        "optimisation", 0.025, 1e-9, 10, reason="as in word2vec",
        help="Initial learning rate. Lower it if training diverges.",
    )
    optimizer: OptimizerName = _setting(
        "optimisation", "sgd", choices=get_args(OptimizerName), reason="as in word2vec",
        help="sgd: the learning rate decays linearly to 0. adagrad: a learning rate per parameter, as in the paper.",
    )
    adagrad_delta: float = _setting(
        "optimisation", 0.1, 0, 10, reason="as in the authors' program",
        help="Constant added to the denominator of AdaGrad's step. Raise it to make the first steps smaller.",
    )

    min_count: int = _setting(
        "vocabulary", 5, 1, 10**12, common=True, reason="as in word2vec",
        help="Occurrences that a word needs to be in the vocabulary. Raise it for a large or noisy corpus.",
    )
    max_vocabulary: int | None = _setting(
        "vocabulary", None, 2, 10**9, reason="no limit",
        help="Maximum number of words in the vocabulary; the most frequent are kept. Set it to bound memory.",
    )
    subsample: float | None = _setting(
        "vocabulary", None, 0, 1,
        reason="1e-3 up to 2 million tokens, falling to 1e-4 at 20 million, as a small corpus needs its tokens",
        help="Frequency above which tokens of a word are dropped at random, as in word2vec; 0 to keep all tokens.",
    )

    phrases: bool = _setting(
        "vocabulary", False, reason="each word is a token",
        help="Find phrases such as `new york` and treat them as words, `new_york`.",
    )
    phrase_threshold: float = _setting(
        "vocabulary", 0.5, 0, 1, reason="mostly names and terms",
        help="NPMI that the parts of a phrase need, from 0 (independent) to 1 (always together). Lower it for more "
             "phrases.",
    )
    phrase_min_count: int = _setting(
        "vocabulary", 10, 1, 10**12, reason="rarer phrases are often chance",
        help="Occurrences that a phrase needs; for `train`, not fewer than --min-count.",
    )
    phrase_passes: int = _setting(
        "vocabulary", 2, 1, 5, reason="up to four words",
        help="Number of times that phrases are searched. Each pass can double the number of words in a phrase.",
    )

    threads: int = _setting(
        "run", 0, 0, 1024, common=True, reason="one per core",
        help="Training threads. One thread gives the same vectors each time, several do not.",
    )
    seed: int = _setting(
        "run", 1, 0, 2**63 - 1, common=True,
        help="Random seed.",
    )
    # fmt: on

    def __post_init__(self) -> None:
        for f in fields(self):
            object.__setattr__(self, f.name, _checked(f.name, f.type, getattr(self, f.name), f.metadata))

    def to_dict(self) -> dict[str, Any]:
        """The settings by name.

        >>> polyseme.TrainConfig(dim=200).to_dict()["dim"]
        200
        """
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TrainConfig:
        """The inverse of `to_dict`, also after a round trip through JSON.

        values  the settings by name; those that version 0.1 does not have may be missing
        Raises ConfigError if others are missing or unknown, or if a value is invalid.

        >>> config = polyseme.TrainConfig(dim=200)
        >>> polyseme.TrainConfig.from_dict(config.to_dict()) == config
        True
        """
        names = {f.name for f in fields(cls)}
        if unknown := sorted(set(values) - names):
            raise ConfigError(f"unknown settings, perhaps of a newer version: {', '.join(unknown)}")
        if missing := sorted(names - set(values) - NEW_SETTINGS):
            raise ConfigError(f"missing settings: {', '.join(missing)}")
        return cls(**values)

    def subsample_for(self, tokens: int) -> float:
        """The subsampling threshold for a corpus; if none is set, a smaller corpus keeps more of its tokens.

        tokens  the size of the corpus

        >>> polyseme.TrainConfig().subsample_for(5_000_000)
        0.0004
        """
        if self.subsample is not None:
            return self.subsample
        return min(max(SUBSAMPLED_OCCURRENCES / max(tokens, 1), 1e-4), 1e-3)

    def may_have_several_senses(self, vocabulary: Vocabulary) -> NDArray[np.bool_]:
        """Mask of the words of a vocabulary that can have several senses.

        vocabulary  the words and their counts

        >>> int(polyseme.TrainConfig(multi_sense_top=10).may_have_several_senses(model.vocabulary).sum())
        10
        """
        return vocabulary.multi_sense_mask(
            top=self.multi_sense_top, min_count=self.multi_sense_min_count, listed=self.multi_sense_words
        )


class TrainSettings(TypedDict, total=False):
    """The fields of TrainConfig as keyword arguments; a test compares names and types."""

    model: ModelName
    dim: int
    window: int
    output_vectors: OutputVectors
    examples: int
    senses: int
    max_senses: int
    min_separation: float
    new_sense_threshold: float
    sense_window: int
    sense_decay: float
    whitening: float
    sense_dim: int
    sense_init: SenseInit
    warmup: float
    multi_sense_top: int
    multi_sense_min_count: int
    multi_sense_words: tuple[str, ...] | None
    posterior: PosteriorName
    min_share: float
    epochs: int
    negatives: int
    max_negatives: int
    negative_sharing: int
    learning_rate: float
    optimizer: OptimizerName
    adagrad_delta: float
    min_count: int
    max_vocabulary: int | None
    subsample: float | None
    phrases: bool
    phrase_threshold: float
    phrase_min_count: int
    phrase_passes: int
    threads: int
    seed: int


# The paper's settings: Neelakantan et al. (2014), sections 5 and 6. docs/paper.md says where each one comes from.
PAPER: TrainSettings = {
    "dim": 300,
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
    "multi_sense_top": 6_000,
    "multi_sense_min_count": 20,
    "posterior": "inverse-distance",
    "min_share": 0.0,
}
RECIPES: dict[str, TrainSettings] = {"default": {}, "paper": PAPER}


def make_config(recipe: str = "default", **given: Any) -> TrainConfig:
    """The settings of a recipe, with the given ones in their place. `senses` without `model` chooses mssg.

    >>> make_config("paper", dim=300).negatives
    1
    >>> make_config().model, make_config(senses=4).model
    ('np-mssg', 'mssg')
    """
    if recipe not in RECIPES:
        raise ConfigError(f"recipe '{recipe}' is unknown; choose {' or '.join(RECIPES)}.")
    known = {f.name for f in fields(TrainConfig)}
    for name in given:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            hint = f" Closest: {close[0]}." if close else ""
            raise ConfigError(f"'{name}' is not a setting; the settings are: {', '.join(sorted(known))}.{hint}")
    implied = {"model": "mssg"} if "senses" in given else {}
    return TrainConfig(**{**RECIPES[recipe], **implied, **given})


def _checked(name: str, kind: object, value: Any, rule: Mapping[str, Any]) -> Any:
    """The value of a setting, as a built-in type; ConfigError if it is not valid."""
    if rule["choices"] and value not in rule["choices"]:
        raise ConfigError(f"{option_name(name)} must be one of {', '.join(rule['choices'])}, not '{value}'.")
    if kind == "bool":
        if not isinstance(value, bool):
            raise ConfigError(f"{name} must be True or False, not {value!r}.")
        return value
    low, high = rule["low"], rule["high"]
    if name == "multi_sense_words" and value is not None:
        if isinstance(value, str) or not all(isinstance(word, str) for word in value):
            raise ConfigError("multi_sense_words must be a collection of words; the option takes a file of them.")
        return tuple(value)
    if low is None or (value is None and str(kind).endswith("None")):
        return value
    whole = str(kind).startswith("int")
    if isinstance(value, bool) or not isinstance(value, Integral if whole else Real) or value != value:
        raise ConfigError(f"{option_name(name)} must be a {'whole ' if whole else ''}number, not {value!r}.")
    if not low <= value <= high:
        raise ConfigError(f"{option_name(name)} must be between {low} and {high}, not {value}.")
    return int(value) if whole else float(value)  # type: ignore[call-overload]


def option_name(setting: str) -> str:
    """The command-line option of a setting.

    >>> option_name("sense_window")
    '--sense-window'
    """
    return "--" + setting.replace("_", "-")
