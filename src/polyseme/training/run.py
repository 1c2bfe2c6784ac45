"""From a corpus to a saved model: encode, train, find examples, save; each step is kept, so that a run can go on."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from polyseme.corpus.encoded_corpus import EncodedCorpus, is_encoded
from polyseme.corpus.encoding import EncodingProgress, encode
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import AnyTokenizer, get_tokenizer
from polyseme.errors import CorpusError, Interrupted, MissingFile, TrainingError
from polyseme.examples.selection import collect_examples
from polyseme.examples.store import ExampleReader, no_examples
from polyseme.model import storage
from polyseme.model.data import ModelData
from polyseme.model.sense_assigner import SenseAssigner
from polyseme.model.sense_model import SenseModel
from polyseme.training.checkpoint import read_config, restore_checkpoint, write_checkpoint
from polyseme.training.config import TrainConfig, make_config
from polyseme.training.events import CheckpointWritten, CorpusEncoded, Event, Listener, ModelSaved, event_name, silent
from polyseme.training.precompile import precompiling
from polyseme.training.state import TrainState
from polyseme.training.trainer import Trainer, num_threads
from polyseme.training.workspace import CORPUS, LOG, MODEL, workspace
from polyseme.vocabulary import Vocabulary

CHECKPOINT_SECONDS = 180.0
EXAMPLE_COMPONENTS = 64  # principal components in which contexts and senses are compared to select examples

AnyPath = str | os.PathLike[str]


def train(
    corpus: AnyPath | Iterable[AnyPath] | EncodedCorpus,
    out: AnyPath | None = None,
    *,
    recipe: str = "default",
    tokenizer: str | Callable[[str], list[str]] = "words",
    resume: bool = False,
    force: bool = False,
    listen: Listener = silent,
    stop: Callable[[], bool] = lambda: False,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    **settings: Any,
) -> SenseModel:
    """Learn sense vectors from text.

    corpus     files, globs, folders, '-' for standard input, or an encoded corpus
    out        the model folder to write; without it the model lives in memory only
    recipe     'default' or 'paper'; `settings` (see TrainConfig) take the place of the recipe's
    tokenizer  'words', 'whitespace', or a function from a line to its words
    resume     go on with an unfinished run of `out`, if there is one
    force      overwrite `out`, and throw away an unfinished run of it
    listen     is called with each event (see polyseme.training.events)
    stop       is asked now and then; when it says True, a checkpoint is written and Interrupted raised
    """
    given = make_config(recipe, **settings)
    chosen = get_tokenizer(tokenizer)
    with ExitStack() as stack:
        stack.enter_context(precompiling(given))
        if out is None:
            work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="polyseme-")))
            return _Run(work, listen, stop, checkpoint_seconds).learn(corpus, chosen, given)
        path = Path(os.path.abspath(out))  # noqa: PTH100 - a link stays a link
        if resume and storage.is_model(path) and not force:
            return SenseModel.load(path, chosen)
        storage.refuse_existing(path, force)
        work = stack.enter_context(workspace(path, resume=resume, force=force))
        config = _resumed(work, given, set(settings)) if resume else given
        log = stack.enter_context((work / LOG).open("a", encoding="utf-8"))
        run = _Run(work, _both(listen, log), stop, checkpoint_seconds)
        model = run.learn(corpus, chosen, config)
        started = time.monotonic()
        storage.save(model._data, path, force=force, log=work / LOG, temporary=work / MODEL)
        run.listen(ModelSaved(str(out), storage.size_of(path), time.monotonic() - started))
    return SenseModel.load(path, chosen)


class _Run:
    """The steps of a run in a workspace."""

    def __init__(self, work: Path, listen: Listener, stop: Callable[[], bool], checkpoint_seconds: float) -> None:
        self.work = work
        self.listen = listen
        self.stop = stop
        self.checkpoint_seconds = checkpoint_seconds

    def learn(
        self, corpus: AnyPath | Iterable[AnyPath] | EncodedCorpus, tokenizer: AnyTokenizer, config: TrainConfig
    ) -> SenseModel:
        encoded, vocabulary = self._read(corpus, tokenizer, config)
        threads = num_threads(config.threads, encoded)
        trainer = Trainer(TrainState.fresh(config, vocabulary, threads), encoded)
        restore_checkpoint(self.work, trainer)
        trainer.run(
            listen=self.listen,
            stop=self.stop,
            checkpoint=lambda: self._checkpoint(trainer),
            checkpoint_seconds=self.checkpoint_seconds,
        )
        self._checkpoint(trainer)
        description = encoded.description
        data = ModelData(
            vocabulary=vocabulary,
            arrays=trainer.state.learned(),
            tokenizer=tokenizer,
            config=trainer.state.config.to_dict(),
            corpus={name: description[name] for name in ("tokens", "sentences", "bad_bytes", "fingerprint")},
            training={
                "loss": trainer.totals.loss / max(trainer.totals.pairs, 1),
                "tokens": trainer.totals.tokens,
                "pairs": trainer.totals.pairs,
                "seconds": trainer.seconds,
                "threads": threads,
            },
        )
        data.arrays.check(len(vocabulary))
        return SenseModel(replace(data, read_examples=self._collect_examples(data, encoded, config, threads)))

    def _collect_examples(
        self, data: ModelData, encoded: EncodedCorpus, config: TrainConfig, threads: int
    ) -> ExampleReader:
        if config.examples == 0:
            return no_examples
        assigner = SenseAssigner(data, EXAMPLE_COMPONENTS)
        assigner.prepare()
        return collect_examples(
            assigner,
            encoded,
            data.vocabulary,
            data.arrays.sense_offsets,
            data.num_visible_senses,
            data.tokenizer,
            per_sense=config.examples,
            seed=config.seed,
            threads=threads,
            stop=self._stop_if_asked,
            folder=self.work,
        )

    def _read(
        self, corpus: AnyPath | Iterable[AnyPath] | EncodedCorpus, tokenizer: AnyTokenizer, config: TrainConfig
    ) -> tuple[EncodedCorpus, Vocabulary]:
        started = time.monotonic()
        encoded = self._encoded(corpus, tokenizer)
        if encoded.description["tokenizer"] != tokenizer.name:
            raise CorpusError(
                f"the corpus was encoded with the tokenizer '{encoded.description['tokenizer']}', "
                f"not '{tokenizer.name}'; name that with --tokenizer."
            )
        vocabulary = Vocabulary.from_counts(
            encoded.words, encoded.counts, min_count=config.min_count, max_size=config.max_vocabulary
        )
        self.listen(
            CorpusEncoded(
                tokens=len(encoded.tokens),
                sentences=encoded.num_sentences,
                words=len(encoded.words),
                kept=len(vocabulary),
                bad_bytes=encoded.description["bad_bytes"],
                seconds=time.monotonic() - started,
            )
        )
        return encoded, vocabulary

    def _encoded(self, corpus: AnyPath | Iterable[AnyPath] | EncodedCorpus, tokenizer: AnyTokenizer) -> EncodedCorpus:
        """The corpus in token ids: as given, as kept from the run that is resumed, or made now."""
        if isinstance(corpus, EncodedCorpus):
            return corpus
        paths = [corpus] if isinstance(corpus, str | os.PathLike) else list(corpus)
        if len(paths) == 1 and is_encoded(Path(paths[0])):
            return EncodedCorpus.open(Path(paths[0]))
        kept = self.work / CORPUS
        if is_encoded(kept):
            encoded = EncodedCorpus.open(kept)
            _refuse_another_corpus(paths, encoded)
            return encoded

        def report(progress: EncodingProgress) -> None:
            self._stop_if_asked()
            self.listen(progress)

        return encode(find_sources(paths), tokenizer, kept, report)

    def _checkpoint(self, trainer: Trainer) -> None:
        """Write a checkpoint; if that fails, training goes on and the one before stays."""
        started = time.monotonic()
        problem = None
        try:
            write_checkpoint(self.work, trainer)
        except OSError as error:
            problem = str(error)
        self.listen(CheckpointWritten(trainer.progress, time.monotonic() - started, problem))

    def _stop_if_asked(self) -> None:
        if self.stop():
            raise Interrupted("stopped.")


def _refuse_another_corpus(paths: list[AnyPath], encoded: EncodedCorpus) -> None:
    """A run goes on with the text it began with; that may be gone by now, but not another."""
    try:
        given = find_sources(paths)
    except MissingFile:
        return
    if given != encoded.sources:
        raise TrainingError(
            f"the unfinished run read {encoded.sources[0].path} as it was then, not {given[0].path} as it is now; "
            f"resume it with the same corpus, or start anew with --force."
        )


def _resumed(work: Path, given: TrainConfig, named: set[str]) -> TrainConfig:
    """The settings of the run that is resumed; those named now must be the same, but for the threads."""
    before = read_config(work)
    if before is None:
        return given
    for name in sorted(named - {"threads"}):
        old, new = getattr(before, name), getattr(given, name)
        if old != new:
            raise TrainingError(
                f"the unfinished run has {name.replace('_', '-')} {old}, not {new}; "
                f"resume it without that option, or start anew with --force."
            )
    return replace(before, threads=given.threads) if "threads" in named else before


def _both(listen: Listener, log: Any) -> Listener:
    """A listener that also writes each event (but for those of encoding, which are many) to a log."""

    def write(event: Event) -> None:
        if not isinstance(event, EncodingProgress):
            entry = {"time": round(time.time(), 3), "event": event_name(event), **asdict(event)}
            with suppress(OSError):  # a full disk does not stop the training
                log.write(json.dumps(entry) + "\n")
                log.flush()
        listen(event)

    return write
