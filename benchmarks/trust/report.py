"""docs/trust.md, made of the results alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from polyseme import __version__

from .results import Part, read_results

PAGE = Path(__file__).resolve().parents[2] / "docs" / "trust.md"
HEAD = """# Fault injection

<!-- Written by `python -m benchmarks.trust WORK report`; do not edit. -->

polyseme is run with kills, signals, damaged and hostile files, full disks and invalid options. This page lists what was
run with version {version} and what must hold. `python -m benchmarks.trust WORK` repeats it; it can be interrupted and
continued, and the same seed gives the same cases. `make test` runs some cases of the parts kills, signals, inputs,
hostile, http, races and options.

What the tables of measurements mean:

- `megabytes` is the peak memory of a process. Commands run in processes that are forked from a parent with all modules
  loaded, so their memory includes the parent's.
- `kills: ...` counts kills by what the process was doing. A run is killed up to three times.
- `lost seconds` is the age of the last checkpoint at a kill. These runs write a checkpoint every 0.05 seconds.
- `resumed blocks` is the number of blocks of the text that the last checkpoint contains.
"""


def write(parts: list[Part], results: Path) -> None:
    """Write the page."""
    found = {part.name: read_results(results / f"{part.name}.jsonl") for part in parts}
    lines = [
        HEAD.format(version=__version__),
        "| part | must hold | cases run | cases planned | failures |",
        "|---|---|---:|---:|---:|",
    ]
    for part in parts:
        entries = list(found[part.name].values())
        failures = sum(bool(entry["problem"]) for entry in entries)
        name = f"[{part.title}](#{part.name})" if entries else part.title
        lines.append(f"| {name} | {part.holds} | {len(entries):,} | {part.total:,} | {failures:,} |")
    for part in parts:
        if entries := list(found[part.name].values()):
            lines += ["", f"## {part.name}", "", *_section(part, entries)]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(PAGE)


def _section(part: Part, entries: list[dict[str, Any]]) -> Iterator[str]:
    yield f"{part.title}. Seeds: {', '.join(str(seed) for seed in sorted({entry['seed'] for entry in entries}))}."
    yield ""
    outcomes = sorted({entry["outcome"] for entry in entries})
    if len(outcomes) > 8:
        outcomes = []
    yield f"| kind | cases | {' | '.join(outcomes)}{' | ' if outcomes else ''}failures |"
    yield f"|---|---:|{'---:|' * (len(outcomes) + 1)}"
    for kind in sorted({entry["kind"] for entry in entries}):
        mine = [entry for entry in entries if entry["kind"] == kind]
        counts = Counter(entry["outcome"] for entry in mine)
        numbers = [len(mine), *(counts[name] for name in outcomes), sum(bool(entry["problem"]) for entry in mine)]
        yield f"| {kind} | {' | '.join(f'{n:,}' for n in numbers)} |"
    if facts := sorted({name for entry in entries for name in entry["facts"]}):
        yield ""
        yield "| measured | cases | median | largest | sum |"
        yield "|---|---:|---:|---:|---:|"
        for name in facts:
            values = sorted(entry["facts"][name] for entry in entries if name in entry["facts"])
            figures = (values[len(values) // 2], values[-1], sum(values))
            yield f"| {name.replace('_', ' ')} | {len(values):,} | {' | '.join(map(_rounded, figures))} |"


def _rounded(x: float) -> str:
    return f"{x:,.0f}" if abs(x) >= 1000 else f"{x:.4g}"
