"""The senses of words in a model, as a list for README.md and docs: python benchmarks/show_senses.py MODEL [WORD ...]

Without words, those with the clearest senses are shown. --write FILE replaces the text between the lines
<!-- senses --> and <!-- /senses --> of a Markdown file; run it again whenever the model changes.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from polyseme import SenseModel
from polyseme._io.units import format_count
from polyseme.evaluation.clear_senses import clearest_words

BLOCK = re.compile(r"(?<=^<!-- senses -->\n).*?(?=^<!-- /senses -->$)", re.DOTALL | re.MULTILINE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--neighbours", type=int, default=7, help="of each sense")
    parser.add_argument("--examples", type=int, default=0, help="example sentences of each sense")
    parser.add_argument("--count", type=int, default=12, help="number of words, if none are given")
    parser.add_argument("--write", type=Path, action="append", default=[], metavar="FILE")
    arguments = parser.parse_args()
    model = SenseModel.load(arguments.model)
    words = arguments.words or clearest_words(model, arguments.count)
    block = "\n".join(lines(model, words, arguments.neighbours, arguments.examples)) + "\n"
    print(block, end="")
    for path in arguments.write:
        text = path.read_text(encoding="utf-8")
        if not BLOCK.search(text):
            parser.error(f"{path} has no lines <!-- senses --> and <!-- /senses -->; add them where the list belongs")
        path.write_text(BLOCK.sub(lambda _: block, text), encoding="utf-8")


def lines(model: SenseModel, words: list[str], neighbours: int, examples: int) -> Iterator[str]:
    """What the model is, and an indented code block with a line for each sense and each of its examples."""
    tokens = format_count(model.corpus.get("tokens", 0))
    yield f"`{model.config['model']}`, {model.dim} dimensions, trained on {tokens} tokens:\n"
    for word in words:
        for sense in model.senses(word):
            near = ", ".join(n.word for n in sense.neighbours(neighbours))
            yield f"    {sense.key:<10} {sense.share:4.0%}  {near}"
            for example in sense.examples[:examples]:
                yield f"        {' '.join(example.marked().split())}"


if __name__ == "__main__":
    main()
