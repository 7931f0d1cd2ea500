"""The keys of a command as ``conf/`` describes them: name, default, and the comment next to it.

``--help`` and the page of commands print them, so a key is described in one place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from harness.core.configuration.choices import described, names
from harness.core.configuration.extensions import additions, primary
from harness.core.configuration.grammar import read_conf

LINE = re.compile(r"""((?:"[^"]*"|'[^']*'|[^"'#]|(?<=\S)#)*)(?:# ?(.*))?""")
"""A line and its comment."""
KEY = re.compile(r"( {2})?([\w.@/-]+):\s*(.*?)\s*")
"""A key, or one of a section, and its value."""
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
    for entry in read_conf(path).get("defaults", ()):
        yield from _of_default(entry)
    section, name, value = "", "", ""
    for content, comment in _commented(path.read_text(encoding="utf-8")):
        unclosed = value.startswith("[") and not value.endswith("]")
        if key := KEY.fullmatch(content):
            section = section if key[1] else key[2]
            name, value = f"{section}.{key[2]}" if key[1] else key[2], key[3]
        elif unclosed:
            value += content.strip()
        if comment and (key or unclosed):
            is_long = unclosed or (value.startswith("[") and len(value) > MOST)
            yield Option(name, LONG if is_long else value.removeprefix("???"), comment)


def _commented(text: str) -> Iterator[tuple[str, str]]:
    """Yield the content and the comment of each line; a comment may go on in the lines below."""
    content, comment, goes_on = "", "", False
    for line in text.splitlines():
        parts = LINE.fullmatch(line)
        own, more = parts.groups() if parts else (line, None)
        goes_on = goes_on and more is not None and not own.strip() and len(own) == len(content)
        if goes_on:
            comment += f" {more}"
        else:
            yield content, comment
            content, comment, goes_on = own, more or "", bool(more and own.strip())
    yield content, comment


def _of_default(entry: str | Mapping[str, str]) -> Iterator[Option]:
    """Yield the keys of an included file, or the choice from a concept: ``fuser: boltzmann``."""
    if isinstance(entry, str):
        yield from options(entry) if entry != "_self_" else ()
        return
    ((group, name),) = entry.items()
    key = CHOICE.fullmatch(group)
    concept = key[1].partition("@")[0] if key else ""
    if key and (known := names(concept)):
        if known == [name]:  # a section of one file
            yield Option(f"{concept}.KEY", "", described(concept)[name])
        else:
            yield Option(key[1], name or "null", f"names: harness list {concept}")
