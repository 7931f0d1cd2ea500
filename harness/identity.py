"""What makes two things the same: canonical hashes of configurations, files, texts and the code itself."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import importlib.metadata
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

LIBRARIES = ("torch", "numpy", "scipy", "faiss-cpu", "faiss-gpu", "sentence-transformers", "bm25s", "spacy", "datasets")

TELLING = ("report", "tracking", "command", "__main__.py")
"""Parts of the package that change no result."""

NO_RESULT = {"result": False}
"""Metadata of a dataclass field that changes no result: ``field(default=64, metadata=NO_RESULT)`` for a batch size."""

LATER = {"later": True}
"""Metadata of a field that came after artifacts were made: while it has its default it counts for nothing, so that what
was made before it is still found.
"""


def identity(value: Any) -> Any:
    """A JSON value that two strategies share exactly when they compute the same thing.

    A dataclass becomes its class path, its ``version`` (a class attribute, 1 when it has none) and its fields, without
    those marked ``NO_RESULT``. One that reads files offers a method ``content() -> str``, the hash of what it reads,
    which counts in place of the files' names. A field marked ``LATER`` counts where it differs from its default. Whole
    floats equal integers.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        kind = type(value)
        fields = {
            field.name: identity(getattr(value, field.name))
            for field in dataclasses.fields(value)
            if field.metadata.get("result", True)
            and not (field.metadata.get("later") and getattr(value, field.name) == _default(field))
        }
        if hasattr(kind, "content"):
            fields["content"] = value.content()  # type: ignore[attr-defined]
        return {"_target_": f"{kind.__module__}.{kind.__qualname__}", "version": getattr(kind, "version", 1), **fields}
    if isinstance(value, Mapping):
        return {str(key): identity(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [identity(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    raise TypeError(f"{value!r} has no identity; give its class dataclass fields")


def _default(field: dataclasses.Field[Any]) -> Any:
    made = field.default_factory
    return field.default if made is dataclasses.MISSING else made()


def digest(value: Any) -> str:
    """SHA-256 (hex) of the canonical JSON of ``identity(value)``."""
    text = json.dumps(identity(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def texts_sha256(texts: Iterable[str]) -> str:
    """SHA-256 (hex) of a sequence of texts; length-prefixed, so no two sequences share their bytes."""
    whole = hashlib.sha256()
    for text in texts:
        data = text.encode()
        whole.update(len(data).to_bytes(8, "little"))
        whole.update(data)
    return whole.hexdigest()


def text_hashes(texts: Sequence[str]) -> NDArray[np.uint8]:
    """uint8[n, 16], BLAKE2b of each text: what names a text among others."""
    whole = b"".join(hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts)
    return np.frombuffer(whole, dtype=np.uint8).reshape(-1, 16)


def file_sha256(path: Path) -> str:
    """SHA-256 (hex) of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@functools.cache
def code_version() -> str:
    """The package's version and the hash of the sources that results follow from: ``0.1.0+1f3a...``.

    What tells people (reports, tracking, the command line) is left out: it changes no number.
    """
    root = Path(__file__).parent
    names = sorted(path.relative_to(root).as_posix() for path in root.rglob("*.py"))
    kept = [name for name in names if name.partition("/")[0] not in TELLING]
    text = texts_sha256(part for name in kept for part in (name, (root / name).read_text(encoding="utf-8")))
    return f"{importlib.metadata.version('multihop-harness')}+{text[:12]}"


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
