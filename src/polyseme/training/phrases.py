"""The phrases of a training run: its settings, and those of a corpus that was encoded before."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.phrases import Phrases, PhraseSettings
from polyseme.errors import CorpusError
from polyseme.training.config import TrainConfig
from polyseme.vocabulary import Vocabulary


def phrase_settings(config: TrainConfig) -> PhraseSettings | None:
    """How to find phrases; None if they are not wanted. A phrase that is too rare for the vocabulary is not joined."""
    if not config.phrases:
        return None
    min_count = max(config.phrase_min_count, config.min_count)
    return PhraseSettings(config.phrase_threshold, min_count, config.phrase_passes)


def refuse_other_phrases(config: TrainConfig, encoded: EncodedCorpus, init: Phrases | None) -> None:
    """Raise CorpusError if phrases are wanted, and the corpus was encoded without them or with other settings.

    init  the phrases of the initial model, with which a corpus may have been encoded instead
    """
    wanted = phrase_settings(config)
    if wanted is None:
        return
    if encoded.phrases is None:
        raise CorpusError("the corpus was encoded without phrases; encode it again with --phrases.")
    if init is not None and set(encoded.phrases.words) <= set(init.words):
        return
    if encoded.phrases.settings != wanted:
        raise CorpusError(
            f"the corpus was encoded with {encoded.phrases.settings or 'given phrases'}, not {wanted}; "
            f"train without --phrases to use it as it is, or encode it again."
        )


def model_phrases(init: Phrases | None, encoded: EncodedCorpus, vocabulary: Vocabulary) -> Phrases | None:
    """The phrases of a trained model: those of the initial model and of the corpus that are in its vocabulary."""
    found = [phrases for phrases in (init, encoded.phrases) if phrases is not None]
    if not found:
        return None
    words = dict.fromkeys(words for phrases in found for words in phrases.words)
    return Phrases(list(words), found[0].settings).known_to(vocabulary)


def settings_with_phrases(config: TrainConfig, encoded: EncodedCorpus) -> dict[str, Any]:
    """The settings of a run, with those of the phrases in its corpus if only these say that there are any."""
    settings = config.to_dict()
    if encoded.phrases is not None and not config.phrases:
        settings["phrases"] = True
        if encoded.phrases.settings is not None:
            settings |= {f"phrase_{name}": value for name, value in asdict(encoded.phrases.settings).items()}
    return settings
