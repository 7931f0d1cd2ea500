"""What makes two things the same: canonical hashes of configurations, files, texts and the code
itself.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import importlib.metadata
import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from harness.core.concepts import PACKAGE, roomless
from harness.core.input import kept_as, without_docstrings

LIBRARIES = (
    "torch",
    "numpy",
    "scipy",
    "faiss-cpu",
    "faiss-gpu",
    "sentence-transformers",
    "bm25s",
    "spacy",
    "datasets",
)

NO_EFFECT = (
    "report",
    "command",
    "testing",
    "__main__.py",
    "core/errors.py",
    "core/escape.py",
    "core/secret.py",
    "core/table",
    "work/engine",
    "work/latency.py",
    "work/lease.py",
    "work/processes.py",
    "work/progress.py",
    "work/status.py",
)
"""Parts of the package that change no result: what people see, and who computes what and when."""

NO_RESULT = {"result": False}
"""Metadata of a dataclass field that changes no result: ``field(default=64, metadata=NO_RESULT)``
for a batch size.
"""

LATER = {"later": True}
"""Metadata of a field that was added after artifacts were made: left out of the hash at its
default, so that older artifacts stay valid.
"""


def sealed(content: Mapping[str, object]) -> dict[str, object]:
    """The content with the digest of all else in it under ``sha256``; one that was sealed and not
    changed is equal.
    """
    return {
        **content,
        "sha256": digest({key: value for key, value in content.items() if key != "sha256"}),
    }


def identity(value: Any) -> Any:
    """A JSON value that is equal for two strategies exactly when they compute the same thing.

    A dataclass becomes its class (named by concept and file, not by room), its ``version`` (see
    ``_version``) and its fields, without those marked ``NO_RESULT``. A class that reads files has a
    method ``content() -> str | None``, the hash of what it reads, which stands in place of the
    files' names (None where it reads none). A field marked ``LATER`` is left out at its default.
    Whole floats equal integers.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _of_dataclass(value)
    if isinstance(value, Mapping):
        return {str(key): identity(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [identity(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    raise TypeError(f"{value!r} has no identity; give its class dataclass fields")


def _of_dataclass(value: Any) -> dict[str, object]:
    kind = type(value)
    fields = {
        field.name: identity(getattr(value, field.name))
        for field in dataclasses.fields(value)
        if field.metadata.get("result", True)
        and not (field.metadata.get("later") and getattr(value, field.name) == _default(field))
    }
    if hasattr(kind, "content") and (content := value.content()) is not None:
        fields["content"] = content
    return {
        "_target_": f"{roomless(kind.__module__)}.{kind.__qualname__}",
        "version": _version(kind),
        **fields,
    }


def _version(kind: type) -> int | str:
    """The class's own attribute ``version``, else 1 for our classes, whose changes bump it.

    For a class of another package without one it is the hash of that package's sources, of those of
    its bases that are dataclasses of other packages, and, before a ``+``, the ``version`` that it
    inherits.
    """
    ours, inherited = _package(kind) == PACKAGE.name, getattr(kind, "version", None)
    if ours or "version" in vars(kind):
        return inherited or 1
    bases = [
        base
        for base in kind.__mro__
        if dataclasses.is_dataclass(base) and _package(base) != PACKAGE.name
    ]
    found = list(dict.fromkeys(_sources_sha256(_package(base), base.__module__) for base in bases))
    sources = found[0] if len(found) == 1 else texts_sha256(found)[:12]
    return f"{inherited}+{sources}" if inherited else sources or 1


def _package(kind: type) -> str:
    return kind.__module__.partition(".")[0]


@functools.cache
def _sources_sha256(package: str, module: str) -> str:
    """12 hex digits over the sources of a package; of a module that is in none, over its file."""
    folders = getattr(sys.modules.get(package), "__path__", None)
    file = getattr(sys.modules.get(module), "__file__", None)
    if folders is not None:
        return files_sha256(
            *(path for folder in folders for path in sorted(Path(folder).rglob("*.py")))
        )[:12]
    return file_sha256(Path(file))[:12] if file else ""


def _default(field: dataclasses.Field[Any]) -> Any:
    made = field.default_factory
    return field.default if made is dataclasses.MISSING else made()


def record(value: Any) -> Any:
    """An identity as it is stored beside results: its classes under ``class``, so that nothing can
    be made of it.
    """
    if isinstance(value, Mapping):
        return {"class" if key == "_target_" else key: record(item) for key, item in value.items()}
    return [record(item) for item in value] if isinstance(value, (list, tuple)) else value


def digest(value: Any) -> str:
    """SHA-256 (hex) of the canonical JSON of ``identity(value)``."""
    text = json.dumps(identity(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def texts_sha256(texts: Iterable[str]) -> str:
    """SHA-256 (hex) of a sequence of texts, each with its length, so that no two sequences have the
    same bytes.
    """
    whole = hashlib.sha256()
    for text in texts:
        data = text.encode()
        whole.update(len(data).to_bytes(8, "little"))
        whole.update(data)
    return whole.hexdigest()


def files_sha256(*places: Path) -> str:
    """SHA-256 (hex) of the names and contents of files, and of those below folders, linked ones
    too; each is read once while it stays as it is.
    """
    files = sorted({file for place in places for file in _files(place)})
    return _files_sha256(
        tuple((file, file.stat().st_size, file.stat().st_mtime_ns) for file in files)
    )


def folder_sha256(name: str | None) -> str | None:
    """``files_sha256`` of a folder; None where this is the name of none, but of a package or of a
    model of the Hub.
    """
    place = None if name is None else Path(name).expanduser()
    return files_sha256(place) if place is not None and place.is_dir() else None


def _files(place: Path) -> Iterable[Path]:
    if not place.is_dir():
        return [place]
    below = (
        Path(folder) / name
        for folder, _, names in os.walk(place, followlinks=True)
        for name in names
    )
    return (file for file in below if file.is_file())


@functools.cache
def _files_sha256(files: tuple[tuple[Path, int, int], ...]) -> str:
    return texts_sha256(part for path, _, _ in files for part in (path.name, file_sha256(path)))


def file_sha256(path: Path) -> str:
    """SHA-256 (hex) of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def has_effect(name: str) -> bool:
    """Whether a module, ``work/lease.py`` below the package, may change a result."""
    return not any(name == part or name.startswith(f"{part}/") for part in NO_EFFECT)


@functools.cache
def code_version() -> str:
    """The package's version and the hash of the sources that results follow from:
    ``0.1.0+1f3a...``.

    ``NO_EFFECT`` is left out, and so are docstrings where the package is not installed: they change
    no number.
    """
    names = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))
    texts = {
        name: (PACKAGE / name).read_text(encoding="utf-8") for name in names if has_effect(name)
    }
    whole = texts_sha256(part for name, text in texts.items() for part in (name, text))
    if not {"site-packages", "dist-packages"} & {*PACKAGE.parts}:
        whole = kept_as(PACKAGE / "code.py", whole, lambda: _without_docstrings(texts))
    return f"{importlib.metadata.version('multihop-harness')}+{whole[:12]}"


def _without_docstrings(texts: Mapping[str, str]) -> str:
    return texts_sha256(
        part for name, text in texts.items() for part in (name, without_docstrings(text))
    )


@functools.cache
def library_versions() -> dict[str, str]:
    """Versions of the installed libraries that results depend on."""
    versions = {}
    for name in LIBRARIES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions
