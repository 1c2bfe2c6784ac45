"""`polyseme info MODEL`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from polyseme.cli.arguments import JsonFlag, ModelPath
from polyseme.cli.output import in_bytes, in_time, print_json


def info(
    model: ModelPath,
    /,
    *,
    verify: Annotated[bool, Parameter(negative="", help="Read every byte and check it against its digest.")] = False,
    json: JsonFlag = False,
) -> None:
    """What a model is: words, senses, settings, and the corpus it was learned from."""
    from polyseme.model import storage
    from polyseme.model.sense_model import SenseModel

    if verify:
        storage.verify(Path(model))
    loaded = SenseModel.load(model)
    shown = loaded._data.num_visible_senses
    rows = len(loaded._data.arrays.sense_vectors)
    facts: dict[str, Any] = {
        "model": loaded.config["model"],
        "words": len(loaded),
        "sense_vectors": rows,
        "dim": loaded._data.arrays.dim,
        "words_with_several_senses": int((shown > 1).sum()),
        "senses_that_hardly_occur": rows - int(shown.sum()),
        "bytes": storage.size_of(Path(model)),
        "tokenizer": loaded.tokenizer.name,
        "corpus": loaded.corpus,
        "training": loaded.training,
        "settings": loaded.config,
    }
    if json:
        print_json(facts)
        return
    training = loaded.training
    print(f"{model}: {facts['model']}, {len(loaded):,} words, {rows:,} senses, {loaded._data.arrays.dim} dimensions")
    print(f"several senses   {facts['words_with_several_senses']:,} words")
    print(f"not shown        {facts['senses_that_hardly_occur']:,} senses that hardly ever occur")
    print(f"corpus           {loaded.corpus['tokens']:,} tokens, {loaded.corpus['sentences']:,} sentences")
    print(f"tokenizer        {facts['tokenizer']}")
    print(f"training         {in_time(training['seconds'])} on {training['threads']} threads")
    print(f"loss per pair    {training['loss']:.4f}")
    print(f"size             {in_bytes(facts['bytes'])}" + (", every byte as it was written" if verify else ""))
    for name, value in loaded.config.items():
        print(f"  {name:<22} {value if not isinstance(value, list | tuple) else f'{len(value)} words'}")
