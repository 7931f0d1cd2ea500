"""Docstrings as Markdown: a line a parameter, doctests as code, and no letter that Markdown would take for its own."""

from __future__ import annotations

import re
from typing import Any

import griffe

CODE = re.compile(r"(``.*?``|`[^`]*`)", re.DOTALL)
PARAMETER = re.compile(r"^[\w*.@<>/, ]{1,60}: ")


def readable(text: str) -> str:
    """A docstring of this project as Markdown."""
    return "\n\n".join(_paragraph(part) for part in re.split(r"\n\s*\n", text))


def _paragraph(text: str) -> str:
    lines = text.splitlines()
    if lines and lines[0].lstrip().startswith(">>>"):
        return "\n".join(["```pycon", *lines, "```"])
    if lines and all(line.startswith(("  ", "\t")) for line in lines if line.strip()):
        return "\n".join(["```text", *lines, "```"])
    broken = re.sub(r"(?<=\S) {4}(?=\S)", "\n", text).splitlines()
    marked = [
        ("  \n" if number and PARAMETER.match(line) else "\n" if number else "") + line
        for number, line in enumerate(broken)
    ]
    return "".join(part if part.startswith("`") else _escaped(part) for part in CODE.split("".join(marked)))


def _escaped(text: str) -> str:
    return re.sub(r"([*_\[\]|#])", r"\\\1", text).replace("<", "&lt;").replace(">", "&gt;")


class Readable(griffe.Extension):
    """Rewrites every docstring while the sources are read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Of modules, classes, functions and attributes."""
        if obj.docstring:
            obj.docstring.value = readable(obj.docstring.value)
