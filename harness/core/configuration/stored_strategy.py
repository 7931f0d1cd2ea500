"""Stored strategies: a concept, a name and fields, such as ``{strategy: fuser/rrf, k: 60}``.

No file of results names a class. The class of a name is read only from conf/ (the core's, an
installed package's or that of ``--config-dir``). A sweep's folder or a lock may come from anybody,
so it can only name strategies of this installation. The command line of a user may name any class.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.core.concepts import roomless
from harness.core.configuration.extensions import folders, missing_plugin
from harness.core.configuration.yaml_files import read_conf
from harness.core.errors import HarnessError, nearest

NAME = "strategy"
"""The key of a strategy's concept and name. A part without a file is named by its path in the file
that holds it: ``retriever/ppr.walk``.
"""
TARGET = "_target_"
"""The key of a strategy's class in conf/."""
REACHES = {"reaches": True}
"""Metadata of a field that reaches beyond a sweep's folder: a server, a secret, a place or a model.
A stored value of such a field must be a value of conf/, or be trusted.
"""
LOCAL = re.compile(r"https?://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(/\S*)?")
REFERENCE = re.compile(r"\$\{\.*[\w.@]+\}")


def by_name(node: Any) -> Any:
    """Return a configuration in its stored form, with a name for each class.

    A class that conf/ does not name stays, and cannot be read back.
    """
    names = _names(tuple(folders()))[0]

    def stored(node: Any) -> Any:
        if isinstance(node, (list, tuple)):
            return [stored(value) for value in node]
        if not isinstance(node, Mapping):
            return node
        target = node.get(TARGET)
        name_field = {} if target is None else {NAME: names.get(roomless(str(target)), str(target))}
        return name_field | {key: stored(value) for key, value in node.items() if key != TARGET}

    return stored(node)


@dataclass(frozen=True)
class StoredReader:
    """A reader of stored strategies that refuses, in one line, every class and place that conf/
    does not have.

    Attributes:
        place: the file.
        trusted: whether servers, secrets, places and models may differ from those of conf/.
    """

    place: Path
    trusted: bool = False

    def read(self, node: Any, *path: str) -> Any:
        """Return the value with classes instead of names, ready to be instantiated.

        Args:
            node: the stored value.
            path: the keys that lead to it.
        """
        if isinstance(node, (list, tuple)):
            return [self.read(value, *path, str(number)) for number, value in enumerate(node)]
        if isinstance(node, Mapping):
            return self._mapping(node, path)
        if isinstance(node, str) and "${" in REFERENCE.sub("", node):
            raise self.refuse(path, node, "expected only references to other keys, ${key}")
        return node

    def _mapping(self, node: Mapping[str, object], path: tuple[str, ...]) -> dict[str, object]:
        target_field = {TARGET: self._target(node, path)} if NAME in node else {}
        reaching = _reaching(target_field[TARGET]) if target_field and not self.trusted else ()
        rest = {str(key): value for key, value in node.items() if key != NAME}
        for key, value in rest.items():
            if any(part.startswith("_") for part in key.split(".")):
                form = "`strategy: CONCEPT/NAME`, no class" if key == TARGET else "a field"
                raise self.refuse((*path, key), value, f"expected {form}")
            if key in reaching:
                self._check_reach(value, (*path, key))
        return target_field | {key: self.read(value, *path, key) for key, value in rest.items()}

    def refuse(self, path: Sequence[str], value: Any, why: str) -> HarnessError:
        """Return the error about a value and the keys that lead to it."""
        setting = " ".join(f"{'.'.join(path)} = {str(value)[:80]!r}".split())
        return HarnessError(
            f"{self.place}: {setting}, {why}; copy the file again from where it was made"
        )

    def _target(self, node: Mapping[str, object], path: Sequence[str]) -> str:
        targets, name = _names(tuple(folders()))[1], node[NAME]
        if not isinstance(name, str) or name not in targets:
            if lacking := missing_plugin(str(name)):
                raise HarnessError(f"{self.place}: {'.'.join([*path, NAME])} = {name!r} {lacking}")
            raise self.refuse(
                [*path, NAME],
                name,
                f"expected a strategy of conf/{nearest(str(name), targets)}; name your own in a "
                "file conf/<concept>/<name>.yaml, and its folder with --config-dir=DIR",
            )
        return targets[name]

    def _check_reach(self, value: Any, path: Sequence[str]) -> None:
        for item in value if isinstance(value, (list, tuple)) else [value]:
            known = not item or (path[-1], str(item)) in _values(tuple(folders()))
            if not known and not LOCAL.fullmatch(str(item)):
                raise HarnessError(
                    f"{self.place}: {'.'.join(path)} = {item!r} reaches beyond this folder, "
                    "expected a value of conf/ or of this machine; if you trust who wrote the "
                    "file, add trust=true"
                )


@functools.cache
def _names(places: tuple[Path, ...]) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the name of each class (without its room), and the class of each name."""
    targets: dict[str, str] = {}
    for place, path, value in _leaves_of_conf(places):
        if path[-1] == TARGET:
            targets.setdefault(".".join((place, *path[:-1])), str(value))

    def rank(name: str) -> tuple[bool, bool, str]:
        """Put a strategy's own file first, and of several files the one with the name of the
        module.
        """
        return "." in name, name.rpartition("/")[2] != targets[name].split(".")[-2], name

    ordered = sorted(targets, key=rank, reverse=True)
    return {roomless(targets[name]): name for name in ordered}, targets


@functools.cache
def _values(places: tuple[Path, ...]) -> frozenset[tuple[str, str]]:
    """Return every (field, value) pair of conf/. A value of a list has the list's field."""
    pairs = set()
    for _, path, value in _leaves_of_conf(places):
        key = next(key for key in (*reversed(path), "") if not key.isdecimal())
        pairs.add((key.rpartition(".")[2], str(value)))
    return frozenset(pairs)


def _leaves_of_conf(places: Sequence[Path]) -> Iterator[tuple[str, tuple[str, ...], Any]]:
    """Yield ``<concept>/<name>``, keys and value of each scalar in the files of conf/, without the
    files of `harness fit`.
    """
    for folder in places:
        for file in sorted(folder.glob("*/**/*.yaml")):
            name = file.relative_to(folder).with_suffix("").as_posix()
            if not name.startswith("weights/"):
                for path, value in leaves(read_conf(file)):
                    yield name, path, value


def leaves(node: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each scalar with the keys that lead to it."""
    if isinstance(node, (Mapping, list)):
        for key, value in node.items() if isinstance(node, Mapping) else enumerate(node):
            yield from leaves(value, (*path, str(key)))
    elif path:
        yield path, node


@functools.cache
def _reaching(target: str) -> frozenset[str]:
    """Return the fields of a class that reach beyond a folder."""
    from hydra.utils import get_object

    try:
        fields = getattr(get_object(target), "__dataclass_fields__", {})
    except ImportError:  # said where it is made
        return frozenset()
    return frozenset(
        name for name, field in fields.items() if REACHES.items() <= field.metadata.items()
    )
