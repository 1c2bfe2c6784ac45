"""`polyseme info MODEL`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from polyseme._io.units import format_bytes, format_duration
from polyseme.cli.arguments import SWITCH, JsonFlag, ModelPath
from polyseme.cli.output import print_json
from polyseme.errors import ConfigError


def info(
    model: ModelPath,
    /,
    *,
    verify: Annotated[bool, SWITCH, Parameter(help="Read all files and compare them with their digests.")] = False,
    json: JsonFlag = False,
) -> None:
    """Show the words, senses, settings and corpus of a model."""
    from polyseme.cli.opening import open_for_query
    from polyseme.model import storage

    loaded = open_for_query(model)
    if verify:
        if not Path(model, storage.CONFIG).exists():
            raise ConfigError(f"{model} has no digests, which --verify compares; only model folders have them.")
        storage.verify(Path(model))
    shown = loaded._data.num_visible_senses
    rows = len(loaded._data.arrays.sense_vectors)
    facts: dict[str, Any] = {
        "model": loaded.config["model"],
        "words": len(loaded),
        "sense_vectors": rows,
        "dim": loaded._data.arrays.dim,
        "words_with_several_senses": int((shown > 1).sum()),
        "rare_senses": rows - int(shown.sum()),
        "dtype": loaded._data.dtype,
        "bytes": storage.size_of(Path(model)),
        "tokenizer": loaded.tokenizer.name,
        "corpus": loaded.corpus,
        "training": loaded.training,
        "refinements": loaded.refinements,
        "continued_from": loaded.continued_from,
        "settings": loaded.config,
    }
    if json:
        print_json(facts)
        return
    training = loaded.training
    print(f"{model}: {facts['model']}, {len(loaded):,} words, {rows:,} senses, {loaded._data.arrays.dim} dimensions")
    print(f"several senses   {facts['words_with_several_senses']:,} words")
    min_share = f"{100 * loaded._data.min_share:g}%"
    print(f"not shown        {facts['rare_senses']:,} senses with less than {min_share} of their word's tokens")
    print(f"tokenizer        {facts['tokenizer']}")
    if "imported_from" in loaded.config:
        print(f"imported from    {loaded.config['imported_from']}")
        print(f"not in the file  {loaded.config.get('missing') or 'nothing'}")
    else:
        print(f"corpus           {loaded.corpus['tokens']:,} tokens, {loaded.corpus['sentences']:,} sentences")
        threads = training["threads"]
        plural = "" if threads == 1 else "s"
        print(f"training         {format_duration(training['seconds'])} on {threads} thread{plural}")
        print(f"loss per pair    {training['loss']:.4f}")
    for earlier in loaded.continued_from:
        print(f"continued from   {earlier['fingerprint'][:12]}, trained on {earlier['corpus']['tokens']:,} tokens")
    for refinement in loaded.refinements:
        print(f"refined          {refinement}")
    print(f"stored as        {facts['dtype']}")
    print(f"size             {format_bytes(facts['bytes'])}" + (", all digests match" if verify else ""))
    for name, value in loaded.config.items():
        print(f"  {name:<22} {value if not isinstance(value, list | tuple) else f'{len(value)} words'}")
