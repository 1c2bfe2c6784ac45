"""`polyseme import IN MODEL`"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from polyseme.cli.arguments import SWITCH
from polyseme.cli.export import FormatName
from polyseme.cli.signals import interruptible
from polyseme.errors import MissingFile


def import_(
    vectors: Annotated[str, Parameter(help="File or folder of vectors; a file may be compressed.")],
    model: Annotated[str, Parameter(help="Model folder to write.")],
    /,
    *,
    format: Annotated[
        FormatName | None, Parameter(help="Format of the vectors.", show_default="recognised from the content")
    ] = None,
    force: Annotated[bool, SWITCH, Parameter(help="Overwrite MODEL.")] = False,
) -> None:
    """Make a model from vectors of another program. Keys such as bank#1 and bank#2 become senses of a word."""
    from polyseme.formats.open_model import open_model
    from polyseme.model import storage

    if not Path(vectors).exists():
        raise MissingFile(f"{vectors} does not exist; check the path.")
    with interruptible():
        storage.refuse_existing(Path(model), force)
        imported = open_model(vectors, format=format)
        imported.save(model, force=force)
    several = int((imported._data.num_visible_senses > 1).sum())
    facts = [f"{len(imported):,} words, {several:,} with several senses"]
    if duplicates := imported.config.get("duplicates"):
        entries = "1 entry" if duplicates == 1 else f"{duplicates:,} entries"
        facts.append(f"{entries} with a repeated key left out")
    if imported.config.get("missing"):
        facts.append(f"not in the file: {imported.config['missing']}")
    print(f"saved     {model}: {'; '.join(facts)}", file=sys.stderr)
