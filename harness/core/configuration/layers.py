"""The files of ``conf/`` that make a configuration, by the rules of Hydra's defaults lists.

Hydra takes ten times as long to compose the same mapping, so it is used only for its own flags and
for several jobs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.core.configuration.choices import conf_file
from harness.core.configuration.conf_file import read_conf
from harness.core.configuration.extensions import added, merge
from harness.core.configuration.extensions import primary as primary_file
from harness.core.errors import HarnessError

ENTRY = re.compile(r"(?:(optional|override) )?(/?)([\w/-]+)(?:@([\w.-]+))?")
"""The key of an entry of ``defaults``: ``override /retriever@lists.dense``."""
PACKAGE = re.compile(r"#\s*@package\s+(\S+)")
"""The first line of a file whose keys have another place than its concept's name."""
Layer = tuple[str, Mapping[str, Any]]
"""The dotted place of a file's keys, and the keys."""


@dataclass
class Layers:
    """The files of a command's configuration.

    Attributes:
        choices: the chosen file by ``concept`` or ``concept@place``; None for no file. The
            ``override`` entries of files add their choices.
        groups: the keys of that form that have been read.
    """

    choices: dict[str, str | None]
    groups: set[str] = field(default_factory=set)

    def tree(self, primary: str) -> dict[str, Any]:
        """Return the keys of all files of a command.

        A choice that no file has an entry for (``retriever@lists.mine``) is read after the others.

        Raises:
            HarnessError: a chosen file does not exist or cannot be read.
        """
        path = primary_file(primary)
        layers = self._read(path, "", "") if path else []
        for key in [key for key in self.choices if key not in self.groups]:
            group, _, place = key.partition("@")
            layers += self._entry({f"/{group}@{place or group.replace('/', '.')}": None}, "", "")
        found: dict[str, Any] = {}
        for place, keys in layers:
            nested = keys
            for part in reversed(place.split(".") if place else []):
                nested = {part: nested}
            found = merge(found, nested, found)
        return found

    def _read(self, path: Path, group: str, place: str) -> list[Layer]:
        """Return the keys of a file and of the files in its ``defaults``, in their order."""
        keys = read_conf(path)
        header = PACKAGE.match(path.read_text(encoding="utf-8"))
        if header and header[1] != "_here_":
            place = header[1].removeprefix("_global_")
        entries = [*keys.get("defaults", ())]
        own = {key: value for key, value in keys.items() if key != "defaults"}
        layers: list[Layer] = []
        for entry in reversed(entries if "_self_" in entries else [*entries, "_self_"]):
            # backwards: the choices of a later file hold for the files before it
            found = [(place, own)] if entry == "_self_" else self._entry(entry, group, place)
            layers[:0] = found
        return layers

    def _entry(self, entry: Any, group: str, place: str) -> list[Layer]:
        if isinstance(entry, str):  # another file of the same folder
            name, _, inner = entry.partition("@")
            path = conf_file(group, name) if group else primary_file(name)
            return self._read(path, group, _inside(place, inner)) if path else []
        ((text, name),) = entry.items()
        parts = ENTRY.fullmatch(text)
        if parts is None:
            raise HarnessError(f"defaults: {text}: expected a concept, as in /fuser or fuser@place")
        kind, root, concept, inner = parts.groups()
        target = concept if root or not group else f"{group}/{concept}"
        inner = inner or concept.replace("/", ".")
        where = _inside(place, "" if inner == "_here_" else inner)
        key = target if where == target.replace("/", ".") else f"{target}@{where}"
        if target == "added":
            brought = added(name)
            return [("", {one: own for one, own in brought.items() if one != "defaults"})]
        if kind == "override":
            self.choices.setdefault(key, name)
            return []
        self.groups.add(key)
        chosen = self.choices.get(key, name)
        return [] if chosen is None else self._read(conf_file(target, str(chosen)), target, where)


def _inside(place: str, inner: str) -> str:
    return f"{place}.{inner}" if place and inner else place or inner
