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
    "word2vec", "word2vec-binary", "glove", "parquet", "arrow", "numpy", "projector", "mssg", "sentence-transformers",
    "polyseme",
]  # fmt: skip


def export(
    model: ModelPath,
    out: Annotated[str, Parameter(help="File or folder to write.")],
    /,
    *,
    format: Annotated[
        FormatName | None,
        Parameter(
            help="By default that of the suffix of OUT: .vec .w2v .txt .bin .glove .parquet .arrow .feather .npz .mssg "
            ".model. projector, sentence-transformers and polyseme are folders. sentence-transformers has one vector "
            "per word and cannot choose senses. mssg is the format of the paper's authors."
        ),
    ] = None,
    words: Annotated[
        int | None, between(2, MAX_COUNT), Parameter(help="Export only this many words, the most frequent ones.")
    ] = None,
    dtype: Annotated[
        Literal["int8", "float16", "float32"] | None,
        Parameter(
            help="Data type of the vectors in the format polyseme. int8 makes a model of about an eighth of the size, "
            "whose neighbours are 99% the same; float16 one of about a quarter. Both leave out data that few queries "
            "need, see --examples and --global-vectors.",
            show_default="float32",
        ),
    ] = None,
    examples: Annotated[
        int | None,
        between(0, MAX_COUNT),
        Parameter(
            help="Maximum number of example sentences per sense in the format polyseme.",
            show_default="all; 1 with int8 and float16",
        ),
    ] = None,
    no_examples: Annotated[bool, SWITCH, Parameter(help="The same as --examples 0.")] = False,
    global_vectors: Annotated[
        bool,
        SWITCH,
        Parameter(
            help="Keep the global vectors with int8 and float16, which neighbours --among words, global_sim and "
            "--format mssg need. They add two thirds to the size of an int8 model."
        ),
    ] = False,
    force: Annotated[bool, SWITCH, Parameter(help="Overwrite OUT.")] = False,
) -> None:
    """Write the sense vectors for another program, with keys such as bank#1."""
    from polyseme._io.units import format_bytes
    from polyseme.formats.export import choose_format, refuse_existing, write_model
    from polyseme.formats.open_model import open_model
    from polyseme.model import storage

    kept = 0 if no_examples else examples
    with interruptible():
        chosen = choose_format(Path(out), format)
        refuse_existing(Path(out), chosen, force)
        loss = write_model(
            open_model(model),
            Path(out),
            chosen,
            words=words,
            force=force,
            dtype=dtype,
            examples=kept,
            global_vectors=global_vectors or None,
        )
    size = format_bytes(storage.size_of(Path(out)))
    print(f"saved     {out}: {chosen.content}, {size}. {loss}".rstrip(), file=sys.stderr)
