"""Docstrings as Markdown: formulas as LaTeX, a line a parameter, doctests as code, no letter that
Markdown reads.
"""

from __future__ import annotations

import re

from formula import formulas

CODE = re.compile(r"(``.*?``|`[^`]*`)", re.DOTALL)
SECTIONS = {"Args:": "Parameters", "Returns:": "Returns", "Raises:": "Raises"}
"""Google's form of what a public function takes, gives and raises, by what is shown."""
PARAMETER = re.compile(r"^[\w*.@<>/, ]{1,60}: ")


def readable(text: str) -> str:
    """A docstring of this project as Markdown."""
    return "\n\n".join(_paragraph(part) for part in re.split(r"\n\s*\n", text))


def _paragraph(text: str) -> str:
    lines = text.splitlines()
    if lines and lines[0] in SECTIONS:
        return _section(lines)
    if lines and lines[0].lstrip().startswith(">>>"):
        return "\n".join(["```pycon", *lines, "```"])
    if lines and all(line.startswith(("  ", "\t")) for line in lines if line.strip()):
        return "\n".join(["```text", *lines, "```"])
    shown: list[str] = []
    for start, end, latex in reversed(formulas(text)):
        text = f"{text[:start]}\x02{len(shown)}\x03{text[end:]}"
        shown.append(f"$`{latex}`$")
    broken = re.sub(r"(?<=\S) {4}(?=\S)", "\n", text).splitlines()
    marked = [
        ("  \n" if number and PARAMETER.match(line) else "\n" if number else "") + line
        for number, line in enumerate(broken)
    ]
    made = "".join(
        part if part.startswith("`") else _escaped(part) for part in CODE.split("".join(marked))
    )
    return re.sub(r"\x02(\d+)\x03", lambda found: shown[int(found[1])], made)


def _section(lines: list[str]) -> str:
    """A list with an entry a parameter; an entry goes on where lines are further in than
    it begins.
    """
    entries: list[str] = []
    for line in lines[1:]:
        if entries and line.startswith(" " * 8):
            entries[-1] += f" {line.strip()}"
        else:
            entries.append(line.strip())
    if lines[0] == "Returns:":
        entries = [" ".join(entries)]
    shown = (re.sub(r"^([\w*]+): ", r"`\1`: ", entry) for entry in entries)
    return "\n".join(
        [f"**{SECTIONS[lines[0]]}**", "", *(f"- {_paragraph(entry)}" for entry in shown)]
    )


def _escaped(text: str) -> str:
    return re.sub(r"([*_\[\]|#])", r"\\\1", text).replace("<", "&lt;").replace(">", "&gt;")
