"""A finished artifact, a folder with a ``manifest.json``: read, and checked against the hashes of
its files.
"""

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
from harness.core.input import Number, misfit

log = logging.getLogger(__name__)
MANIFEST = "manifest.json"
PARTIAL = ".partial"
"""Ends the name of the folder of an artifact that is being built."""
Facts = Mapping[str, Any]
"""What a stage says of what it made, as the manifest stores it: counts, devices, settings; each has
its own.
"""


class File(TypedDict):
    """A file of an artifact."""

    sha256: str
    bytes: NotRequired[int]


class Described(TypedDict):
    """What the manifest of every artifact says, and may."""

    config: dict[str, object]
    stage: NotRequired[str]
    key: NotRequired[str]
    inputs: NotRequired[dict[str, object]]
    facts: NotRequired[dict[str, Any]]
    files: NotRequired[dict[str, File]]
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
    files: Required[dict[str, File]]  # type: ignore[misc]


@dataclass(frozen=True)
class Artifact:
    """A finished artifact: its folder, its key, and its manifest (configuration, inputs, files with
    hashes, facts).
    """

    path: Path
    key: str
    manifest: Manifest

    @property
    def facts(self) -> Facts:
        """What the builder counted: skipped documents, truncated texts, iterations, ..."""
        return self.manifest["facts"]


def artifact_key(stage: object, config: object, inputs: object) -> str:
    """What an artifact is called: 20 hex digits of the hash of stage, configuration and inputs."""
    return digest({"stage": stage, "config": config, "inputs": inputs})[:20]


def expected_files(manifest: bytes | str, key: str | None) -> tuple[Manifest, dict[str, str]]:
    """A manifest, and the SHA-256 of each file that it names.

    Raises ValueError (or LookupError, TypeError, AttributeError, RecursionError) for one that
    cannot be read, is that of another artifact than ``key`` (None: than it says itself), or names a
    file outside of its folder.
    """
    found: Manifest = json.loads(manifest)
    if (told := misfit(found, Manifest)) is not None:
        raise ValueError(told)
    if artifact_key(found["stage"], found["config"], found["inputs"]) != (key or found["key"]):
        raise ValueError(
            f"its stage, configuration and inputs are not those of the key {key or found['key']}"
        )
    files = {name: entry["sha256"] for name, entry in found["files"].items()}
    if not files:
        raise ValueError("it names no file")
    for name in files:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or "\\" in name:
            raise ValueError(f"it names {name!r}")
    return found, files


def read_manifest(path: Path) -> Described | None:
    """A manifest, unless its artifact is still being built or it cannot be read."""
    if path.parent.suffix == PARTIAL:
        return None
    try:
        manifest: Described = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return manifest if misfit(manifest, Described) is None else None


def open_artifact(place: Path, key: str) -> Artifact | None:
    """The artifact when it is whole; ``None`` when it is missing or damaged (which is said, by file
    name).
    """
    try:
        manifest, expected = expected_files((place / MANIFEST).read_bytes(), key)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        log.warning("%s is damaged (%s); building the artifact again", place / MANIFEST, error)
        return None
    if (damaged := _damaged(place, expected)) is not None:
        log.warning("%s is damaged or missing; building the artifact again", damaged)
        return None
    return Artifact(place, key, manifest)


def check_artifact(place: Path, mend: str) -> Manifest:
    """The manifest of a finished artifact. Raises HarnessError that names the first file that is
    damaged or missing.
    """
    path = place / MANIFEST
    try:
        manifest, expected = expected_files(path.read_bytes(), None)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise HarnessError(
            f"{path}: missing or damaged ({type(error).__name__}); {mend}"
        ) from error
    if (damaged := _damaged(place, expected)) is not None:
        raise HarnessError(
            f"{damaged}: missing, or changed since it was written (its SHA-256 differs); {mend}"
        )
    return manifest


def _damaged(place: Path, expected: Mapping[str, str]) -> Path | None:
    """The first file of an artifact that is not as its manifest has it."""
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
