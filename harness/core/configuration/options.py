"""The keys of a command as ``conf/`` describes them: name, default, and the comment next to it.

``--help`` and the page of commands print them, so a key is described in one place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from harness.core.configuration.conf_files import described, names
from harness.core.configuration.extensions import additions, primary
from harness.core.configuration.yaml_files import read_conf

LINE = re.compile(r"""((?:"[^"]*"|'[^']*'|[^"'#]|(?<=\S)#)*)(?:# ?(.*)|["'].*)?""")
"""A line and its comment."""
KEY = re.compile(r"( {2})?([\w.@/-]+):\s*(.*?)\s*")
"""A key, or one of a section, and its value."""
CHOICE = re.compile(r"(?:optional |override )?(\S+)")
"""The key of an entry of ``defaults``."""
LONG, MOST = "[...]", 40
"""The text that replaces a list of more than ``MOST`` letters."""


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
    by_key: dict[str, Option] = {}
    for path in (primary(command), *additions().get(command, ())):
        for option in _of_file(path) if path else ():
            by_key[option.key] = option
    return list(by_key.values())


def _of_file(path: Path) -> Iterator[Option]:
    """Yield the keys of a file. A list, and a comment, may go on in the lines below."""
    for entry in read_conf(path).get("defaults", ()):
        yield from _of_default(entry)
    text = re.sub(r"\n +# ?", " ", path.read_text(encoding="utf-8"))
    section = ""
    for line in re.sub(r",\n +", ", ", text).splitlines():
        content, comment = LINE.fullmatch(line).groups()  # type: ignore[union-attr]
        if key := KEY.fullmatch(content):
            section = section if key[1] else key[2]
            name = f"{section}.{key[2]}" if key[1] else key[2]
            is_long = key[3].startswith("[") and len(key[3]) > MOST
            if comment:
                default = LONG if is_long else key[3].removeprefix("???")
                yield Option(name, default, comment)


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
