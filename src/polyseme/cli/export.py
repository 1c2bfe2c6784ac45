"""`polyseme export MODEL OUT`"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from polyseme.cli.arguments import MAX_COUNT, SWITCH, ModelPath, between
from polyseme.cli.signals import interruptible

# The names of `polyseme.formats.registry`, whose import would slow down --help.
FormatName = Literal[
    "word2vec", "word2vec-binary", "glove", "parquet", "arrow", "numpy", "projector", "mssg", "sentence-transformers"
]


def export(
    model: ModelPath,
    out: Annotated[str, Parameter(help="File or folder to write.")],
    /,
    *,
    format: Annotated[
        FormatName | None,
        Parameter(
            help="By default that of the suffix of OUT: .vec .txt .bin .glove .parquet .arrow .npz .mssg. "
            "projector and sentence-transformers are folders; the last has one vector per word and cannot choose "
            "senses. mssg is the format of the paper's authors."
        ),
    ] = None,
    words: Annotated[
        int | None, between(1, MAX_COUNT), Parameter(help="Export only so many words, the most frequent ones.")
    ] = None,
    force: Annotated[bool, SWITCH, Parameter(help="Overwrite OUT.")] = False,
) -> None:
    """Write the sense vectors for another program, with keys such as bank#1."""
    from polyseme._io.units import format_bytes
    from polyseme.formats.export import choose_format, refuse_existing
    from polyseme.formats.export import export as write
    from polyseme.formats.open_model import open_model

    with interruptible():
        chosen = choose_format(Path(out), format)
        refuse_existing(Path(out), chosen, force)
        loaded = open_model(model)
        write(loaded, out, format=chosen.name, words=words, force=force)
    files = [file for file in Path(out).rglob("*") if file.is_file()] if chosen.folder else [Path(out)]
    size = format_bytes(sum(file.stat().st_size for file in files))
    loss = f" {chosen.loss}" if chosen.loss else ""
    print(f"saved     {out}: {chosen.content}, {size}.{loss}", file=sys.stderr)
