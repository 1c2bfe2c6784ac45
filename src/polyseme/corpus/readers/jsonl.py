"""Read JSON Lines: one object per line, of which one field is the text."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from contextlib import closing

from polyseme.corpus.readers.rows import BadRow, Rows, as_text, read_lines, text_in
from polyseme.corpus.sources import Source
from polyseme.errors import CorpusError


def read_documents(source: Source, rows: Rows, wait: Callable[[], None]) -> Generator[str, None, None]:
    """Yield the text of each row. Blank lines are skipped, invalid JSON is a bad row."""
    with closing(read_lines(source, rows, wait)) as lines:
        for number, line in enumerate(lines, 1):
            if line.isspace():
                continue
            if not rows.good and not rows.bad and line.lstrip().startswith("["):
                raise CorpusError(
                    f"{source.path}, line {number:,} starts a JSON array, but each line must be an object of its own; "
                    f"convert it with: jq -c '.[]' IN > OUT.jsonl"
                )
            try:
                text = as_text(text_in(json.loads(line), source.field))
            except BadRow as error:
                rows.add_bad(f"line {number:,} {error}")
            except (ValueError, RecursionError) as error:
                rows.add_bad(f"line {number:,} is not JSON: {error}")
            else:
                yield text
