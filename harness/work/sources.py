"""The source code that a result follows from: hashes by module, without comments and docstrings.

Counted are the module that computes it and whatever that imports, as far as it is no installed
distribution: modules of one's own, and those of this project in an editable checkout. For what is
installed its version is the identity.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType
from typing import Any

from harness.core.concepts import PACKAGE, ROOMS, roomless
from harness.core.identity import has_effect
from harness.core.input import read_source

DIGITS = 12
"""Of the hash of a session without a file."""
PLAIN = (int, float, str, bool, tuple, type(None))


def sources(modules: Iterable[str]) -> dict[str, str]:
    """The hash of each module that is not installed, of these and of all that they import, by name.

    Of a module without a file (a notebook, an interactive session) it is what was typed by now.
    """
    return _sources(frozenset(modules))


def differing(stored: Mapping[str, str], now: Mapping[str, str]) -> str:
    """The modules that are not the same, for a message: ``mine.helper and 2 more``; empty where all
    are.
    """
    names = sorted(name for name in {*stored, *now} if stored.get(name) != now.get(name))
    return " and ".join([*names[:1], *([f"{len(names) - 1} more"] if names[1:] else [])])


def own_sources(value: Any) -> dict[str, str]:
    """The same of the classes that an identity names, without the modules of this project: those of
    plug-ins.
    """
    return _own(sources(modules_of(value)))


def own_now(stored: Mapping[str, str]) -> dict[str, str]:
    """What ``own_sources`` gave and is stored, as it is now."""
    return _own(sources(stored))


def _own(found: Mapping[str, str]) -> dict[str, str]:
    return {
        name: sha256 for name, sha256 in found.items() if name.partition(".")[0] != PACKAGE.name
    }


def modules_of(value: Any) -> set[str]:
    """The modules of all classes that an identity names."""
    if isinstance(value, Mapping):
        target = value.get("_target_")
        own = set(_modules(target)) if isinstance(target, str) else set()
        return own.union(*map(modules_of, value.values()))
    return (
        {name for each in value for name in modules_of(each)}
        if isinstance(value, (list, tuple))
        else set()
    )


@functools.cache
def _modules(target: str) -> frozenset[str]:
    """The imported modules that a class may be in: an identity names no room, and a class may be
    within another.
    """
    parts = target.split(".")
    for stop in range(len(parts) - 1, 0, -1):
        name = ".".join(parts[:stop])
        if found := [
            known for known in list(sys.modules) if known == name or roomless(known) == name
        ]:
            return frozenset(known for known in found if _path(known) or known == "__main__")
    return frozenset()


def _sources(modules: frozenset[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    left = sorted(modules)
    while left:
        name = left.pop()
        path = _path(name)
        if name in found or not name or (path is None and name != "__main__"):
            continue
        if path is None:
            found[name] = _typed()
            continue
        own = read_source(path)
        found[name] = own.parsed
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        left.append(package if package != name else name.rpartition(".")[0])
        for module, given in own.imports:
            left += _targets(_absolute(str(module), package), given, own.attributes)
    return dict(sorted(found.items()))


def _typed() -> str:
    """The hash of the classes and functions of a session without a file, and of the plain values
    that they read.
    """
    known = vars(sys.modules["__main__"])
    kept = [
        (name, value)
        for name, value in sorted(known.items())
        if getattr(value, "__module__", "") == "__main__"
    ]
    codes = _codes(value for _, value in kept)
    fields = [(name, vars(each).get("__dataclass_fields__", {}).items()) for name, each in kept]
    text = [
        *(
            (
                code.co_code,
                code.co_names,
                [x for x in code.co_consts if not isinstance(x, CodeType)],
            )
            for code in codes
        ),
        *sorted(_plain_values(codes, known).items()),
        *((name, [(field, repr(one.default)) for field, one in each]) for name, each in fields),
    ]
    return hashlib.sha256(repr(text).encode()).hexdigest()[:DIGITS]


def _codes(objects: Iterable[Any]) -> list[CodeType]:
    """The compiled code of functions, of the methods of classes, and of what is defined within
    these.
    """
    codes = [
        one.__code__
        for each in objects
        for one in (each, *vars(each).values())
        if hasattr(one, "__code__")
    ]
    for code in codes:
        codes += [const for const in code.co_consts if isinstance(const, CodeType)]
    return codes


def _plain_values(codes: Iterable[CodeType], known: Mapping[str, object]) -> dict[str, object]:
    """The numbers and texts of a session that code reads."""
    read = {name for code in codes for name in code.co_names if name in known}
    return {name: known[name] for name in read if isinstance(known[name], PLAIN)}


def _targets(module: str, name: str | None, attributes: Iterable[str]) -> Iterator[str]:
    """The modules that an import is of."""
    yield module
    if name is not None and _path(inner := f"{module}.{name}") is not None:
        yield from _targets(inner, None, attributes)
        return
    path = _path(module)
    exports = read_source(path).exports if path is not None and path.name == "__init__.py" else {}
    wanted = [*exports] if name == "*" else attributes if name is None else [name]
    for each in wanted:
        if each in exports:
            given, inside = exports[each]
            place = _absolute(str(given), module)
            if (place, inside) != (module, each):
                yield from _targets(place, inside, ())


def _absolute(module: str, package: str) -> str:
    """The name of a module that is imported in a package: ``..run`` in ``a.b`` is ``a.run``."""
    inner = module.lstrip(".")
    above = len(module) - len(inner) - 1
    if above < 0:
        return module
    parts = package.split(".")
    return ".".join([*parts[: len(parts) - above], *([inner] if inner else [])])


@functools.cache
def _path(name: str) -> Path | None:
    """The file of a module that is not installed and may change results, found without importing
    it; else None.
    """
    top, *rest = name.split(".")
    if top == PACKAGE.name and rest:
        if not (has_effect(below := "/".join(rest)) and has_effect(f"{below}.py")):
            return None
        rest = [ROOMS[rest[0]], *rest] if rest[0] in ROOMS else rest
    files = (path for place in _places(top) for path in _files(place, rest) if path.is_file())
    return next(files, None)


def _files(place: Path, rest: Sequence[str]) -> tuple[Path, ...]:
    """What may be the file of a module of a package in a folder, or of a package that is
    one file.
    """
    if not place.is_dir():
        return () if rest else (place,)
    inner = place.joinpath(*rest)
    return inner / "__init__.py", inner.with_name(f"{inner.name}.py")


@functools.cache
def _places(top: str) -> tuple[Path, ...]:
    """The folders of a package, or the file of a module, that is not installed."""
    module = sys.modules.get(top)
    places: list[str | None] = list(
        getattr(module, "__path__", None) or [getattr(module, "__file__", None)]
    )
    if module is None:
        with contextlib.suppress(ImportError, ValueError):
            spec = importlib.util.find_spec(top)
            places = [] if spec is None else [*(spec.submodule_search_locations or ()), spec.origin]
    known = (Path(place) for place in places if place and not place.endswith("__init__.py"))
    return tuple(path for path in known if not _is_installed(path))


def _is_installed(path: Path) -> bool:
    place = path.resolve()
    return (
        "site-packages" in place.parts
        or "dist-packages" in place.parts
        or place.is_relative_to(_library())
        or path.suffix not in ("", ".py")
    )


@functools.cache
def _library() -> Path:
    return Path(os.__file__).resolve().parent
