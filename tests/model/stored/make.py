"""Write the stored models of the current format versions, and what they answer. Those of earlier versions stay.

python -m tests.model.stored.make
"""

from __future__ import annotations

import json
from pathlib import Path

import polyseme
from polyseme import SenseModel
from polyseme.model.compact import save_compact
from tests.small_text import CONTEXT, small_model, small_text

FOLDER = Path(__file__).parent


def main() -> None:
    model = small_model(small_text(), dim=8).refine(labels={"bank#2": "river bank"})
    text = small_text() + 20 * "they saw the boat on the stream by New York\n"
    with_phrases = small_model(text, dim=8, phrases=True)
    model.save(FOLDER / "mssg-version-2.model", force=True)
    save_compact(model, FOLDER / "int8-version-3.model", force=True)
    save_compact(model, FOLDER / "float16-version-3.model", dtype="float16", force=True)
    with_phrases.save(FOLDER / "phrases-version-3.model", force=True)
    for path in sorted(FOLDER.glob("*-version-[23].model")):
        path.with_suffix(".json").write_text(json.dumps(answers(polyseme.load(path)), indent=1) + "\n")


def answers(model: SenseModel) -> dict[str, object]:
    """What a stored model must still answer in later versions."""
    return {
        "vector": model.vector("bank#2").tolist(),
        "neighbours": [neighbour.key for neighbour in model.neighbours("bank#2", 5)],
        "disambiguate": [sense.probability for sense in model.disambiguate("bank", CONTEXT["bank"]).senses],
        "tags": model.tag("\n".join(CONTEXT.values())),
        "labels": {sense.key: sense.label for word in CONTEXT for sense in model.senses(word)},
        "example": model.senses("bank")[1].examples[0].marked(),
        "phrases": [word for word in model.vocabulary.words if "_" in word],
    }


if __name__ == "__main__":
    main()
