"""Finished artifacts, folders with a ``manifest.json``, and the checks of their files by hash."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NotRequired, Required

from typing_extensions import TypedDict

from harness.core.errors import HarnessError
from harness.core.identity import digest, file_sha256
from harness.core.input.stored import Number, misfit

log = logging.getLogger(__name__)
MANIFEST = "manifest.json"
PARTIAL = ".partial"
"""The ending of the folder of an unfinished artifact."""
BROKEN = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""Errors of reading a broken manifest."""
Facts = Mapping[str, Any]
"""The facts of a stage in its manifest, such as counts, devices and settings. Each stage has its
own.
"""


class FileRecord(TypedDict):
    """A file of an artifact."""

    sha256: str
    bytes: NotRequired[int]


class Described(TypedDict):
    """The keys that the manifest of every artifact has or may have."""

    config: dict[str, object]
    stage: NotRequired[str]
    key: NotRequired[str]
    inputs: NotRequired[dict[str, object]]
    facts: NotRequired[dict[str, Any]]
    files: NotRequired[dict[str, FileRecord]]
    code: NotRequired[str]
    libraries: NotRequired[dict[str, str]]
    seconds: NotRequired[Number]
    own_seconds: NotRequired[Number]
    used: NotRequired[list[str]]
    alone_ms: NotRequired[list[Number]]


class Manifest(Described):
    """The manifest of an artifact that is found by its key."""

    stage: Required[str]  # type: ignore[misc]
    inputs: Required[dict[str, object]]  # type: ignore[misc]
    facts: Required[dict[str, Any]]  # type: ignore[misc]
    files: Required[dict[str, FileRecord]]  # type: ignore[misc]


@dataclass(frozen=True)
class Artifact:
    """A finished artifact: its folder, its key and its manifest."""

    path: Path
    key: str
    manifest: Manifest

    @property
    def facts(self) -> Facts:
        """The facts of the builder: skipped documents, truncated texts, iterations, ..."""
        return self.manifest["facts"]


def artifact_key(stage: object, config: object, inputs: object) -> str:
    """Return the name of an artifact: 20 hex digits of the hash of stage, configuration and
    inputs.
    """
    return digest({"stage": stage, "config": config, "inputs": inputs})[:20]


def expected_files(manifest: bytes | str, key: str | None) -> tuple[Manifest, dict[str, str]]:
    """Return a manifest and the SHA-256 of each of its files.

    Args:
        manifest: the content of the file.
        key: the key of the artifact; None for the one that the manifest states.

    Raises:
        ValueError: the manifest is broken or belongs to another artifact, or it names a file
            outside of its folder (also LookupError, TypeError, AttributeError, RecursionError).
    """
    parsed: Manifest = json.loads(manifest)
    if (message := misfit(parsed, Manifest)) is not None:
        raise ValueError(message)
    if artifact_key(parsed["stage"], parsed["config"], parsed["inputs"]) != (key or parsed["key"]):
        raise ValueError(
            f"its stage, configuration and inputs are not those of the key {key or parsed['key']}"
        )
    files = {name: entry["sha256"] for name, entry in parsed["files"].items()}
    if not files:
        raise ValueError("it names no file")
    for name in files:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or "\\" in name:
            raise ValueError(f"it names {name!r}")
    return parsed, files


def read_manifest(path: Path) -> Described | None:
    """Return a manifest, or None if the artifact is unfinished or the file cannot be read."""
    if path.parent.suffix == PARTIAL:
        return None
    try:
        manifest: Described = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return manifest if misfit(manifest, Described) is None else None


def open_artifact(place: Path, key: str) -> Artifact | None:
    """Return the artifact, or None if it is missing or damaged. A damaged one is logged with its
    file.
    """
    try:
        manifest, expected = expected_files((place / MANIFEST).read_bytes(), key)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except BROKEN as error:
        log.warning("%s is damaged (%s); building the artifact again", place / MANIFEST, error)
        return None
    if (damaged := _damaged(place, expected)) is not None:
        log.warning("%s is damaged or missing; building the artifact again", damaged)
        return None
    return Artifact(place, key, manifest)


def check_artifact(place: Path, mend: str) -> Manifest:
    """Return the manifest of a finished artifact. Raise HarnessError, which names the first damaged
    or missing file.
    """
    path = place / MANIFEST
    try:
        manifest, expected = expected_files(path.read_bytes(), None)
    except (OSError, *BROKEN) as error:
        raise HarnessError(
            f"{path}: missing or damaged ({type(error).__name__}); {mend}"
        ) from error
    if (damaged := _damaged(place, expected)) is not None:
        raise HarnessError(
            f"{damaged}: missing, or changed since it was written (its SHA-256 differs); {mend}"
        )
    return manifest


def _damaged(place: Path, expected: Mapping[str, str]) -> Path | None:
    """Return the first file of an artifact that does not match its manifest, or None."""
    for name, sha256 in expected.items():
        try:
            whole = file_sha256(place / name) == sha256
        except PermissionError:
            raise
        except (OSError, ValueError):
            whole = False
        if not whole:
            return place / name
    return None
