"""The run that `--resume` refers to: unfinished, or finished, with a saved model. Its settings cannot change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from polyseme.corpus.encoded_corpus import BY_COUNTS, EncodedCorpus
from polyseme.errors import TrainingError
from polyseme.model import storage
from polyseme.model.unfinished import workspace_path
from polyseme.training.checkpoint import has_shards, read_config
from polyseme.training.config import TrainConfig, option_name
from polyseme.training.init_model import Origin
from polyseme.training.workspace import unfinished_run

ENCODING = ("min_count", "phrases", "phrase_threshold", "phrase_min_count", "phrase_passes")  # what tokens depend on
WITHOUT_OPTION = "resume it without that option, or start again with --force"
SAME_WAY = "resume it in the same way, or start again with --force"
ANOTHER_MODEL = "choose another name for the model, or train it again with --force"


@dataclass(frozen=True)
class EarlierRun:
    """An unfinished or a finished run of a model.

    name            how error messages call it
    config          the config of an unfinished run; None if the run is finished, or ended before it was recorded
    saved           the config.json of the model of a finished run; None if the run is unfinished
    replaces_model  whether it is unfinished and was started with --force on an existing model
    origin          the model that it continues, if it does
    by_workers      whether it is unfinished and workers train it; None if it has no checkpoint
    """

    name: str
    config: TrainConfig | None = None
    saved: Mapping[str, Any] | None = None
    replaces_model: bool = False
    origin: Origin | None = None
    by_workers: bool | None = None

    def resumed_config(self, chosen: TrainConfig, given: set[str]) -> TrainConfig:
        """The config to resume with; TrainingError if one of the `given` settings of `chosen` is another one.

        The number of threads may change.
        """
        if self.saved is not None:
            settings = self.saved["settings"]
            self._refuse_changes(settings, chosen, given, ANOTHER_MODEL)
            return replace(chosen, **{name: settings[name] for name in ENCODING if name in settings})
        if self.config is None:
            return chosen
        self._refuse_changes(self.config.to_dict(), chosen, given, WITHOUT_OPTION)
        return replace(self.config, threads=chosen.threads) if "threads" in given else self.config

    def _refuse_changes(self, settings: Mapping[str, Any], chosen: TrainConfig, given: set[str], advice: str) -> None:
        for name in sorted(given & settings.keys() - {"threads"}):
            old, new = settings[name], getattr(chosen, name)
            if isinstance(old, list):  # read from JSON
                old = tuple(old)
            if old != new and not (name == "subsample" and new is None):  # `old` is the automatic value
                raise TrainingError(f"{self.name} has {option_name(name)} {_short(old)}, not {_short(new)}; {advice}.")

    def refuse_another_tokenizer(self, tokenizer: str) -> None:
        """Raise TrainingError if the model of a finished run has another tokenizer."""
        old = tokenizer if self.saved is None else self.saved["tokenizer"]
        if old != tokenizer:
            raise TrainingError(f"{self.name} has --tokenizer {old}, not {tokenizer}; {ANOTHER_MODEL}.")

    def refuse_another_origin(self, origin: Origin | None) -> None:
        """Raise TrainingError if the run continues another model."""
        if self.origin == origin:
            return
        if origin is None:
            was = "with --init"
        elif self.origin is None:
            was = "without --init"
        elif self.origin.fingerprint != origin.fingerprint:
            was = "from another model than --init gives"
        else:
            was = "with --freeze" if self.origin.freeze else "without --freeze"
        advice = SAME_WAY if self.saved is None else ANOTHER_MODEL
        raise TrainingError(f"{self.name} was started {was}; {advice}.")

    def refuse_another_way(self, workers: int | None) -> None:
        """Raise TrainingError if the run was started with --workers and is resumed without, or the reverse."""
        if self.by_workers is not None and self.by_workers != (workers is not None):
            raise TrainingError(
                f"{self.name} was started {'with' if self.by_workers else 'without'} --workers; {SAME_WAY}."
            )

    def refuse_another_corpus(self, corpus: EncodedCorpus) -> None:
        """Raise TrainingError if the model of a finished run was trained on another corpus."""
        saved = "" if self.saved is None else str(self.saved["corpus"].get("fingerprint"))
        same = saved == (corpus.counts_fingerprint if saved.startswith(BY_COUNTS) else corpus.fingerprint)
        if self.saved is not None and not same:
            raise TrainingError(f"{self.name} was trained on another corpus; {ANOTHER_MODEL}.")


def find_earlier_run(model: Path, force: bool) -> EarlierRun | None:
    """The unfinished run of a model, else its finished run; `force` ignores a finished one."""
    unfinished = unfinished_run(model)
    if unfinished is not None:
        folder = workspace_path(model)
        return EarlierRun(
            "the unfinished run",
            read_config(folder) or unfinished.config,
            replaces_model=unfinished.replaces_model,
            origin=unfinished.origin,
            by_workers=has_shards(folder),
        )
    if storage.is_model(model) and not force:
        storage.load(model)  # ModelError if it is damaged
        saved = storage.read_config(model)
        earlier = saved.get("continued_from")
        origin = Origin(earlier[-1]["fingerprint"], bool(saved["training"].get("frozen"))) if earlier else None
        return EarlierRun(str(model), saved=saved, origin=origin)
    return None


def _short(value: Any) -> str:
    return f"a list of {len(value):,} words" if isinstance(value, tuple) else str(value)
