"""Filling the templates of reports/templates: LaTeX with ``<< >>`` and ``<% %>``, HTML with Jinja's own marks.

Every value is escaped for its document. What is a document's own code already is given as ``Markup``.
"""

from __future__ import annotations

from typing import Any

from harness.core import escape
from harness.core.configuration import package_folder

LATEX_MARKS = {
    "block_start_string": "<%", "block_end_string": "%>", "variable_start_string": "<<",
    "variable_end_string": ">>", "comment_start_string": "<#", "comment_end_string": "#>",
}  # fmt: skip


def fill(name: str, **values: Any) -> str:
    """The template of that name with these values."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    latex = name.endswith(".tex.j2")
    escaped = escape.tex if latex else escape.terminal  # of HTML the rest is Jinja's own autoescape
    environment = Environment(
        loader=FileSystemLoader(package_folder("reports/templates")),
        undefined=StrictUndefined,
        autoescape=not latex,
        finalize=lambda value: value if isinstance(value, Markup) else escaped(value),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        **(LATEX_MARKS if latex else {}),  # type: ignore[arg-type]
    )
    environment.filters["markup"] = Markup
    return environment.get_template(name).render(**values)
