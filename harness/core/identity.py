"""What makes two things the same: canonical hashes of configurations, files, texts and the code
itself.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import importlib.metadata
import json
import operator
import os
import sys
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from harness.core.concepts import PACKAGE, roomless

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
    "work/processes.py",
    "work/progress.py",
    "work/status.py",
)
"""Parts of the package that change no result: what people see, and who computes what and when."""

FILE, TYPED = "sha256:", "typed:"
"""Begin the version of a class that states none: the hash of its file follows, or a random text."""

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

    A dataclass becomes its class (named by concept and file, not by room), its ``version_of``, and
    its fields, without those marked ``NO_RESULT``. A class that reads files has a method
    ``content() -> str | None``, the hash of what it reads, which stands in place of the files'
    names (None where it reads none). A field marked ``LATER`` is left out at its default. Whole
    floats equal integers.
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
        "version": version_of(kind),
        **fields,
    }


def version_of(made: Any) -> Any:
    """The ``version`` that a class, or a function, states itself; 1 for those of this project.

    Of another package's that states none it is the hash of its file, of one that was typed in a
    session a text that no other process has (see ``unversioned``).
    """
    stated = vars(made).get("version")
    if made.__module__.partition(".")[0] == PACKAGE.name:
        return stated or getattr(made, "version", 1)
    return _file_version(made) if stated is None else stated


@functools.cache
def _file_version(made: Any) -> str:
    """Read once for each class: a module that is loaded again makes another one."""
    file = getattr(sys.modules.get(made.__module__), "__file__", None)
    if file is None or not Path(file).is_file():
        return f"{TYPED}{uuid.uuid4().hex[:12]}"
    return f"{FILE}{file_sha256(Path(file))[:12]}"


def own_versions(value: Any) -> dict[str, str]:
    """By class, the versions of the classes of other packages that an identity names."""
    parts = value.values() if isinstance(value, Mapping) else value
    if isinstance(parts, str) or not isinstance(parts, Iterable):
        return {}
    found: dict[str, str] = functools.reduce(operator.or_, map(own_versions, parts), {})
    target = value.get("_target_", PACKAGE.name) if isinstance(value, Mapping) else PACKAGE.name
    own = target.partition(".")[0] != PACKAGE.name
    return {target: str(value["version"]), **found} if own else found


def unversioned(versions: Mapping[str, str]) -> list[str]:
    """The classes, of ``own_versions``, that state no ``version``."""
    return [name for name, version in versions.items() if version.startswith((FILE, TYPED))]


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


@functools.cache
def code_version() -> str:
    """The package's version and the hash of the sources that results follow from:
    ``0.1.0+1f3a...``. ``NO_EFFECT`` is left out.
    """
    names = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))
    whole = texts_sha256(
        part
        for name in names
        if not any(name == part or name.startswith(f"{part}/") for part in NO_EFFECT)
        for part in (name, (PACKAGE / name).read_text(encoding="utf-8"))
    )
    return f"{importlib.metadata.version('multihop-harness')}+{whole[:12]}"


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
