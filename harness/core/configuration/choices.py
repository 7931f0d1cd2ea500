"""The files of ``conf/<concept>/``: their names, descriptions and defaults."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.core.configuration.extensions import added, folders, merge, missing_plugin
from harness.core.configuration.extensions import primary as primary_file
from harness.core.configuration.grammar import read_conf
from harness.core.configuration.instantiation import instantiate
from harness.core.errors import HarnessError, nearest


def names(concept: str) -> list[str]:
    """Return the names of all configurations of a concept, including those of other packages."""
    return sorted({path.stem for folder in folders() for path in (folder / concept).glob("*.yaml")})


def concepts() -> list[str]:
    """Return the folders of conf/ from which a name can be chosen."""
    return sorted(
        {path.parent.name for folder in folders() for path in folder.glob("*/*.yaml")}
        - {"paths", "display"}
    )


def described(concept: str) -> dict[str, str]:
    """Return the description of each configuration of a concept.

    It is the comment at the top of the file, or the first line of the class's docstring.
    """
    paths = [path for folder in folders() for path in (folder / concept).glob("*.yaml")]
    return {path.stem: _described(path) for path in sorted(paths, key=lambda path: path.stem)}


def _described(path: Path) -> str:
    lines = path.read_text(encoding="utf-8").split("\n")
    first = next((line for line in lines if not line.startswith("# @package")), "")
    module, _, name = str(read_conf(path).get("_target_", "")).rpartition(".")
    if first.startswith("#") or not module:
        return first.lstrip("# ")
    top, *inner = module.split(".")
    spec = importlib.util.find_spec(top)  # not of the module: its packages may need other libraries
    if spec is None or spec.origin is None:
        return ""
    place = Path(spec.origin).parent.joinpath(*inner)
    files = (place.with_suffix(".py"), place / "__init__.py") if inner else (Path(spec.origin),)
    text = next((file.read_text(encoding="utf-8") for file in files if file.is_file()), "")
    pattern = rf'^(?:class|def) {name}\b.*?"""(.*?)(?:"""|\n\n)'
    found = re.search(pattern, text, re.DOTALL | re.MULTILINE)
    return " ".join(found[1].split()) if found else ""


def conf_file(concept: str, name: str) -> Path:
    """Return ``conf/<concept>/<name>.yaml`` from the first folder that has it.

    Raises:
        HarnessError: there is no such name, or the name is a path.
    """
    for folder in folders() if Path(name).name == name else ():
        if (path := folder / concept / f"{name}.yaml").is_file():
            return path
    raise unknown(concept, name, names(concept))


def defaults(concept: str, name: str) -> dict[str, Any]:
    """Return the keys of ``conf/<concept>/<name>.yaml``."""
    return dict(read_conf(conf_file(concept, name)))


def unknown(key: str, name: str, known: Sequence[str]) -> HarnessError:
    """Return the error about a name that no folder of configurations has.

    Args:
        key: the concept, possibly with a place (``retriever@lists.graph``).
        name: the name that was typed.
        known: the names that exist.
    """
    concept = key.partition("@")[0]
    if lacking := missing_plugin(f"{concept}/{name}"):
        message = lacking
    elif concept == "dataset" and name and ("/" in name or Path(name).exists()):
        message = f"is not a name; your own folder is dataset=folder dataset.path={name}"
    else:
        message = f"is not known{nearest(name, known)}; known: {', '.join(known)}"
        message += _as_number(concept, name, known)
    return HarnessError(f"{key}={name} {message}")


def _as_number(concept: str, value: str, known: Sequence[str]) -> str:
    """Return how a number is typed that stands for a strategy, such as ``temperature=0.5``, if only
    one strategy consists of a number.
    """
    if not re.fullmatch(r"\d+(\.\d*)?|\.\d+", value):
        return ""
    typed = []
    for name in known:
        match [*defaults(concept, name).items()]:
            case [("_target_", _), (field, int() | float())]:
                typed.append(f"; a number is {concept}={name} {concept}.{field}={value}")
    return typed[0] if len(typed) == 1 else ""


def strategy(concept: str, name: str, **overrides: Any) -> Any:
    """Return the strategy of ``conf/<concept>/<name>.yaml`` with some of its fields set."""
    fields = defaults(concept, name)
    known = [field for field in fields if field != "_target_"]
    for key in overrides:
        if key not in known:
            raise HarnessError(
                f"{concept}={name} has no {key}{nearest(key, known)}; it has: "
                f"{', '.join(known) or '-'}"
            )
    return instantiate({**fields, **overrides})


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
