"""Filling the templates of reports/templates: LaTeX with ``<< >>`` and ``<% %>``, HTML with Jinja's own marks."""

from __future__ import annotations

import re
from typing import Any

from harness.configuration import packaged

TEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "–": r"\textendash{}", "—": r"\textemdash{}", "…": r"\dots{}", "|": r"\textbar{}", '"': r"\char34{}",
    "`": r"\textasciigrave{}",
}  # fmt: skip
WRITABLE = 0x17F  # pdflatex writes Latin letters up to here; others are shown by their number


def tex(text: object) -> str:
    """Text that LaTeX prints as it stands."""
    return re.sub("([-'])(?=[-'])", r"\1{}", "".join(_letter(letter) for letter in str(text)))


def fill(name: str, **values: Any) -> str:
    """The template of that name with these values."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    marks = {
        "block_start_string": "<%", "block_end_string": "%>", "variable_start_string": "<<",
        "variable_end_string": ">>", "comment_start_string": "<#", "comment_end_string": "#>",
    }  # fmt: skip
    latex = name.endswith(".tex.j2")
    environment = Environment(
        loader=FileSystemLoader(packaged("reports/templates")),
        undefined=StrictUndefined,
        autoescape=not latex,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        **(marks if latex else {}),  # type: ignore[arg-type]
    )
    environment.filters["tex"] = tex
    return environment.get_template(name).render(**values)


def _letter(letter: str) -> str:
    if letter in TEX:
        return TEX[letter]
    if letter.isspace():
        return " "
    return letter if 32 <= ord(letter) <= WRITABLE else rf"\texttt{{U+{ord(letter):04X}}}"
