"""The documentation site: Sphinx with MyST (Markdown) and the theme Furo. `make docs` builds it, without a network.

The source folder is the root of the repository, so that links between pages are the same here and in the repository.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from dataclasses import Field, fields
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.statemachine import StringList
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "src")]

from docstrings import to_restructured_text  # noqa: E402

import polyseme  # noqa: E402
from polyseme.training.config import TrainConfig  # noqa: E402

project = "polyseme"
author = "the polyseme developers"
copyright = "the polyseme developers"
version = release = polyseme.__version__

root_doc = "docs/index"
include_patterns = ["docs/**", "benchmarks/RESULTS.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
exclude_patterns = [".*", "build", "dist", "src", "tests", "docs/site", "docs/**/.ipynb_checkpoints"]
extensions = ["myst_parser", "sphinx.ext.autodoc"]
smartquotes = False  # would turn --options into –options
nitpicky = False  # types in signatures, such as NDArray, are not part of this site

myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath"]
myst_links_external_new_tab = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_display_short_literal_types = True
maximum_signature_line_length = 88

html_theme = "furo"
html_title = f"polyseme {release}"
html_static_path = ["site/static"]
html_css_files = ["polyseme.css"]
html_extra_path = ["site/root"]  # index.html, which leads to docs/index.html
html_copy_source = False
html_show_sphinx = False
templates_path: list[str] = []
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0f5ea8", "color-brand-content": "#0f5ea8"},
    "dark_css_variables": {"color-brand-primary": "#7cb8f2", "color-brand-content": "#7cb8f2"},
}


def convert_docstring(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:  # noqa: ARG001
    """Parameters and errors, which docstrings of polyseme list in columns, as fields."""
    if what in {"class", "exception"} and not inspect.getdoc(obj):
        return
    lines[:] = to_restructured_text(lines)
    if obj is TrainConfig:
        lines += ["", *(f":param {field.name}: {python_help(field)}" for field in fields(TrainConfig))]


def python_help(field: Field[Any]) -> str:
    """The help of a setting as reStructuredText, in which `--min-count` is `min_count`."""
    return re.sub("`--([a-z-]+)`", lambda option: f"`{option[1].replace('-', '_')}`", help_of(field)).replace("`", "``")


def help_of(field: Field[Any]) -> str:
    """The help of a setting as Markdown, with options and explained values as code."""
    values = "|".join(rf"(?<![\w-]){re.escape(value)}(?=:)" for value in field.metadata["choices"])
    return re.sub(f"--[a-z][a-z-]+{values and '|' + values}", r"`\g<0>`", field.metadata["help"])


def shorten_signature(*event: Any) -> tuple[str, str | None] | None:
    """Hide the constructors that are private or repeat the list of parameters."""
    obj = event[3]
    return ("", None) if obj in (polyseme.SenseModel, TrainConfig) else None


class SettingsTable(SphinxDirective):
    """A table of the settings of one group, from their help in TrainConfig."""

    required_arguments = 1
    has_content = False
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        rows = ["| option | default | effect | note on the default |", "|---|---|---|---|"]
        for field in fields(TrainConfig):
            if field.metadata["group"] == self.arguments[0]:
                default = "" if field.default is None else f"`{field.default}`"
                reason = re.sub("--[a-z-]+", r"`\g<0>`", field.metadata["reason"])
                help_text = help_of(field).replace("|", "\\|")
                rows.append(f"| `--{field.name.replace('_', '-')}` | {default} | {help_text} | {reason} |")
        return self.parse_content_to_nodes_of(rows)

    def parse_content_to_nodes_of(self, rows: list[str]) -> list[nodes.Node]:
        container = nodes.container(classes=["settings"])
        self.state.nested_parse(StringList(rows, source="TrainConfig"), self.content_offset, container)
        return [container]


class NotebookParser(MystParser):
    """Notebooks, as Markdown: text cells, code cells and the text that they print."""

    supported = ("ipynb",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        super().parse(notebook_to_markdown(json.loads(inputstring)), document)


def notebook_to_markdown(notebook: dict[str, Any]) -> str:
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            text = "".join(output.get("text") or output.get("data", {}).get("text/plain", ""))
            text = re.sub(r"\x1b\[[0-9;]*m", "", text)
            parts.append(f"```text\n{text.rstrip()}\n```")
    return "\n\n".join(parts)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", convert_docstring)
    app.connect("autodoc-process-signature", shorten_signature)
    app.add_directive("settings", SettingsTable)
    app.add_source_suffix(".ipynb", "ipynb")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True}
