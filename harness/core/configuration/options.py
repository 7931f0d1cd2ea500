"""The keys of a command as ``conf/`` describes them: name, default, and the comment next to it.

``--help`` and the page of commands print them, so a key is described in one place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml

from harness.core.configuration.choices import described, names
from harness.core.configuration.extensions import additions, primary

COMMENT = re.compile(r"\s*#\s?(.*)")
CHOICE = re.compile(r"(?:optional |override )?(\S+)")
"""The key of an entry of ``defaults``."""
LONG, MOST = "[...]", 40
"""The text that replaces a list of several lines or of more than ``MOST`` letters."""


class Option(NamedTuple):
    """A key that can be typed, its default in conf/, and its description."""

    key: str
    default: str
    text: str


def options(command: str) -> list[Option]:
    """Return the keys of a command that have a comment in conf/, and its choices.

    The keys of included files come first. A repeated key appears once, with its last default, as in
    Hydra.
    """
    found: dict[str, Option] = {}
    for path in (primary(command), *additions().get(command, ())):
        for one in _of_file(path) if path else ():
            found[one.key] = one
    return list(found.values())


def _of_file(path: Path) -> Iterator[Option]:
    text = path.read_text(encoding="utf-8")
    root = yaml.compose(text, yaml.CSafeLoader)
    lines = text.splitlines()
    for key, value in root.value if isinstance(root, yaml.MappingNode) else ():
        if key.value == "defaults":
            for entry in value.value:
                yield from _of_default(entry)
        else:
            yield from _of_key(key, value, lines)


def _of_default(entry: yaml.Node) -> Iterator[Option]:
    """Yield the keys of an included file, or the choice from a concept: ``fuser: boltzmann``."""
    if isinstance(entry, yaml.ScalarNode):
        yield from options(entry.value) if entry.value != "_self_" else ()
        return
    group, name = (node.value for node in entry.value[0])
    key = CHOICE.fullmatch(group)
    concept = key[1].partition("@")[0] if key else ""
    if key and (known := names(concept)):
        if known == [name]:  # a section of one file
            yield Option(f"{concept}.KEY", "", described(concept)[name])
        else:
            yield Option(key[1], name, f"names: harness list {concept}")


def _of_key(
    key: yaml.Node, value: yaml.Node, lines: Sequence[str], section: str = ""
) -> Iterator[Option]:
    """Yield the key itself if it has a comment, and the keys of a section."""
    is_section = isinstance(value, yaml.MappingNode) and not value.flow_style
    name, end = f"{section}{key.value}", value.end_mark
    line, column = (
        (key.end_mark.line, key.end_mark.column + 1) if is_section else (end.line, end.column)
    )
    if message := _comment(lines, line, column):
        yield Option(
            name, "" if is_section or value.value == "???" else _default(value, lines), message
        )
    for inner, own in value.value if is_section and not section else ():
        yield from _of_key(inner, own, lines, f"{name}.")


def _default(value: yaml.Node, lines: Sequence[str]) -> str:
    """Return a value as written, unless it is long."""
    start, end = value.start_mark, value.end_mark
    whole = lines[start.line][start.column : end.column] if start.line == end.line else LONG
    return LONG if whole.startswith("[") and len(whole) > MOST else whole


def _comment(lines: Sequence[str], line: int, column: int) -> str:
    """Return the comment that begins after a place and continues on the lines below."""
    if not (found := COMMENT.fullmatch(lines[line], column)):
        return ""
    parts, place = [found[1]], lines[line].index("#", column)
    for below in lines[line + 1 :]:
        more = COMMENT.fullmatch(below)
        if not more or below.index("#") != place:
            break
        parts.append(more[1])
    return " ".join(parts)
