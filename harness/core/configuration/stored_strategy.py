"""A stored strategy: a concept, a name and fields, ``{strategy: fuser/rrf, k: 60}``. No file of
results names a class.

Which class a name means is read from conf/ (ours, an installed package's, or ``--config-dir``'s)
and from nowhere else.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.core.concepts import roomless
from harness.core.configuration.conf_file import read_conf
from harness.core.configuration.extensions import folders, missing_plugin
from harness.core.errors import HarnessError, nearest

NAME = "strategy"
"""The key of a strategy's concept and name. A part of a strategy that has no file of its own is
named by the path to it in one that has it: ``retriever/ppr.walk``.
"""
TARGET = "_target_"
"""The key of its class in conf/."""
REFERENCE = re.compile(r"\$\{\.*[\w.@]+\}")


def by_name(node: Any) -> Any:
    """A configuration as it is stored: each class by its name. One that conf/ does not name stays,
    and is not read.
    """
    names = _names(tuple(folders()))[0]

    def stored(node: Any) -> Any:
        if isinstance(node, (list, tuple)):
            return [stored(value) for value in node]
        if not isinstance(node, Mapping):
            return node
        target = node.get(TARGET)
        own = {} if target is None else {NAME: names.get(roomless(str(target)), str(target))}
        return own | {key: stored(value) for key, value in node.items() if key != TARGET}

    return stored(node)


@dataclass(frozen=True)
class StoredReader:
    """Reads stored strategies and values; refuses, in one line, what conf/ and the strategies'
    classes do not know.

    Attributes:
        place: the file.
        typed: knobs such as ``fuser.k`` that were typed for other strategies of a group than the
            one that stands there.
    """

    place: Path
    typed: Collection[str] = ()

    def read(self, node: Any, *path: str) -> Any:
        """Return the same with classes in place of names, as it can be instantiated.

        path: the keys that lead to it.
        """
        if isinstance(node, (list, tuple)):
            return [self.read(value, *path, str(number)) for number, value in enumerate(node)]
        if isinstance(node, str) and "${" in REFERENCE.sub("", node):
            raise self.refuse(path, node, "expected only references to other keys, ${key}")
        if not isinstance(node, Mapping):
            return node
        target = self._target(node[NAME], path) if NAME in node else None
        accepted = _accepted(target) if target else ["**"]
        found = {} if target is None else {TARGET: target}
        for key, value in node.items():
            if key == NAME:
                continue
            place = (*path, str(key))
            if any(part.startswith("_") for part in str(key).split(".")):
                wanted = f"`{NAME}: CONCEPT/NAME`, no class" if key == TARGET else "a field"
                raise self.refuse(place, value, f"expected {wanted}")
            if not {str(key), "**"} & {*accepted} and ".".join(place) not in self.typed:
                known = f"{', '.join(accepted) or 'no field'}{nearest(str(key), accepted)}"
                raise self.refuse(place, value, f"expected one of its fields: {known}")
            found[str(key)] = self.read(value, *place)
        return found

    def refuse(self, path: Sequence[str], value: Any, why: str) -> HarnessError:
        """Return the error about a value, and the keys that lead to it."""
        found = " ".join(f"{'.'.join(path)} = {str(value)[:80]!r}".split())
        return HarnessError(f"{self.place}: {found}, {why}; take this file from where it was made")

    def _target(self, name: Any, path: Sequence[str]) -> str:
        targets = _names(tuple(folders()))[1]
        if isinstance(name, str) and name in targets:
            return targets[name]
        if lacking := missing_plugin(str(name)):
            raise HarnessError(f"{self.place}: {'.'.join([*path, NAME])} = {name!r} {lacking}")
        concept = str(name).partition("/")[0]
        known = [each for each in targets if each.partition("/")[0] == concept]
        raise self.refuse(
            [*path, NAME],
            name,
            f"expected a strategy of conf/{nearest(str(name), known)}; name your own in a file "
            "conf/<concept>/<name>.yaml, and its folder with --config-dir=DIR",
        )


@functools.cache
def _names(places: tuple[Path, ...]) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """The name of each class (without its room), and the class of each name."""
    targets: dict[str, str] = {}
    for folder in places:
        for path in sorted(folder.glob("*/**/*.yaml")):
            name = path.relative_to(folder).with_suffix("").as_posix()
            # `harness fit` writes those of weights, which hold strategies of other files
            if not name.startswith("weights/") and TARGET in path.read_text(encoding="utf-8"):
                for place, target in _targets(read_conf(path), name):
                    targets.setdefault(place, target)

    def rank(name: str) -> tuple[bool, bool, str]:
        """A strategy's own file first, and of several that of its module's name."""
        return "." in name, name.rpartition("/")[2] != targets[name].split(".")[-2], name

    ordered = sorted(targets, key=rank, reverse=True)
    return {roomless(targets[name]): name for name in ordered}, targets


def _targets(node: Any, place: str) -> Iterator[tuple[str, str]]:
    """Yield the place and the name of each class in a file of conf/."""
    if isinstance(node, (list, tuple)):
        node = dict(enumerate(node))
    for key, value in node.items() if isinstance(node, Mapping) else ():
        if key == TARGET:
            yield place, str(value)
        yield from _targets(value, f"{place}.{key}")


@functools.cache
def _accepted(target: str) -> list[str]:
    """Return the fields of a class, or arguments of a function; ``**`` where it takes any."""
    from hydra.utils import get_object

    parameters = inspect.signature(get_object(target)).parameters.items()
    return ["**" if one.kind is one.VAR_KEYWORD else name for name, one in parameters]
