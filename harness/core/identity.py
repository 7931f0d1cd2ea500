"""Identities: hashes of configurations, files, texts and the code itself."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import importlib.metadata
import itertools
import json
import os
import sys
import uuid
from collections.abc import Iterable, Mapping, Sequence
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
    "conf",
    "datasets",
    "reports",
)
"""Parts of the package that change no result: the user interface, the distribution of work, and the
folders that only a wheel has in the package, whose templates are no code of it.
"""

FILE, TYPED = "sha256:", "typed:"
"""The beginnings of the version of a class without a stated one: the hash of its file, or a random
text.
"""

NO_RESULT = {"result": False}
"""Metadata of a dataclass field that changes no result, such as ``field(default=64,
metadata=NO_RESULT)`` for a batch size.
"""

LATER = {"later": True}
"""Metadata of a field that was added later. It is left out of the hash at its default, so older
artifacts stay valid.
"""


def sealed(content: Mapping[str, object]) -> dict[str, object]:
    """Return the content with the digest of everything else in it under ``sha256``.

    A sealed content that was not changed is returned equal.
    """
    return {
        **content,
        "sha256": digest({key: value for key, value in content.items() if key != "sha256"}),
    }


def identity(value: Any) -> Any:
    """Return a JSON value that is equal for two strategies exactly if they compute the same.

    A dataclass becomes its class (by concept and file, not by room), its ``version_of``, and its
    fields without those marked ``NO_RESULT``. A class that reads files has a method ``content() ->
    str | None``, the hash of the files, which replaces their names; None if it reads none. A field
    marked ``LATER`` is left out at its default. Whole floats equal integers.
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


def version_of(kind: Any) -> Any:
    """Return the ``version`` that a class or function states, or 1 for those of this project.

    For another package's class without a version it is the hash of its file. For one that was typed
    in a session it is a random text (see ``unversioned``).
    """
    stated = vars(kind).get("version")
    if kind.__module__.partition(".")[0] == PACKAGE.name:
        return stated or getattr(kind, "version", 1)
    return _file_version(kind) if stated is None else stated


@functools.cache
def _file_version(kind: Any) -> str:
    """Return the version of a class without a stated one. A module that is loaded again has new
    classes.
    """
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    if file is None or not Path(file).is_file():
        return f"{TYPED}{uuid.uuid4().hex[:12]}"
    return f"{FILE}{file_sha256(Path(file))[:12]}"


def foreign_versions(value: Any) -> dict[str, str]:
    """Return the versions of the classes of other packages in an identity, by class."""
    versions: dict[str, str] = {}
    if isinstance(value, Mapping):
        target = value.get("_target_", PACKAGE.name)
        if target.partition(".")[0] != PACKAGE.name:
            versions[target] = str(value["version"])
        value = list(value.values())
    for part in value if isinstance(value, (list, tuple)) else ():
        versions |= foreign_versions(part)
    return versions


def unversioned(versions: Mapping[str, str]) -> list[str]:
    """Return the classes in ``foreign_versions`` that state no ``version``."""
    return [name for name, version in versions.items() if version.startswith((FILE, TYPED))]


def _default(field: dataclasses.Field[Any]) -> Any:
    factory = field.default_factory
    return field.default if factory is dataclasses.MISSING else factory()


def record(value: Any) -> Any:
    """Return an identity in its stored form. Its classes are under ``class``, so nothing can be
    instantiated from it.
    """
    if isinstance(value, Mapping):
        return {"class" if key == "_target_" else key: record(item) for key, item in value.items()}
    return [record(item) for item in value] if isinstance(value, (list, tuple)) else value


def varied_keys(records: Sequence[Mapping[str, object]]) -> list[str]:
    """Return the keys in whose values records differ."""

    def is_varied(key: str) -> bool:
        return len({repr(record.get(key)) for record in records}) > 1

    keys = dict.fromkeys(itertools.chain.from_iterable(records))
    return list(filter(is_varied, keys))


def digest(value: Any) -> str:
    """Return the SHA-256 (hex) of the canonical JSON of ``identity(value)``."""
    text = json.dumps(identity(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def texts_sha256(texts: Iterable[str]) -> str:
    """Return the SHA-256 (hex) of a sequence of texts, each with its length, so that different
    sequences have different bytes.
    """
    whole = hashlib.sha256()
    for text in texts:
        data = text.encode()
        whole.update(len(data).to_bytes(8, "little"))
        whole.update(data)
    return whole.hexdigest()


def files_sha256(*places: Path) -> str:
    """Return the SHA-256 (hex) of the names and contents of files and of the files below folders.

    Links are followed. Each file is read once while it is unchanged.
    """
    files = sorted({file for place in places for file in _files(place)})
    return _files_sha256(
        tuple((file, file.stat().st_size, file.stat().st_mtime_ns) for file in files)
    )


def folder_sha256(name: str | None) -> str | None:
    """Return the ``files_sha256`` of a folder, or None if the name is that of a package or of a
    model on the Hub.
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
    """Return the SHA-256 (hex) of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@functools.cache
def code_version() -> str:
    """Return the package's version and the hash of the sources that affect results:
    ``0.1.0+1f3a...``.

    The parts in ``NO_EFFECT`` are left out.
    """
    texts: list[str] = []
    for name in sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")):
        if not any(name == part or name.startswith(f"{part}/") for part in NO_EFFECT):
            texts += [name, (PACKAGE / name).read_text(encoding="utf-8")]
    return f"{importlib.metadata.version('multihop-harness')}+{texts_sha256(texts)[:12]}"


@functools.cache
def library_versions() -> dict[str, str]:
    """Return the versions of the installed libraries that affect results."""
    versions = {}
    for name in LIBRARIES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions
