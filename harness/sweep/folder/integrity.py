"""The hashes of a sweep's files, as recorded by its lock and its line in the ledger."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Required, cast

import yaml
from typing_extensions import TypedDict

from harness.core.errors import HarnessError
from harness.core.identity import digest, file_sha256, sealed
from harness.core.input import misfit, read_yaml
from harness.sweep.folder.lock import Lock

log = logging.getLogger(__name__)
FILES = (
    "comparisons.parquet",
    "config.yaml",
    "manifest.json",
    "queries.parquet",
    "ranks.npy",
    "scores.parquet",
    "trials.parquet",
)
"""The files of a sweep other than its lock."""
HELDOUT = (
    "heldout.json",
    "heldout_comparisons.parquet",
    "heldout_queries.parquet",
    "heldout_ranks.npy",
)
"""The files of a held-out evaluation."""
ENTRY = "heldout.entry.json"
"""The file with a copy of the evaluation's ledger line, so that a folder can be moved."""
HERE = ("paths", "tracking", "device")
"""Keys of a configuration that belong to a machine, not to a sweep."""
MEASURED = ("seconds", "cost", "machine")
"""Keys of a manifest that each run of the same sweep measures again."""


class LedgerLine(TypedDict, total=False):
    """The fields of a line of the ledger that records an evaluation."""

    sha256: Required[str]
    previous: Required[str]
    time: str | None
    evaluation: int | None
    split: str | None
    dataset: str | None
    sweep: str | None
    data_sha256: str | None
    lock_sha256: str | None
    files: dict[str, str] | None
    chosen_on: int | None
    code: str | None
    trials: list[str] | None


class EvaluationEntry(LedgerLine):
    """The copy of such a line in the folder of its sweep."""

    evaluation: Required[int]  # type: ignore[misc]
    time: Required[str]  # type: ignore[misc]
    dataset: Required[str]  # type: ignore[misc]
    files: Required[dict[str, str]]  # type: ignore[misc]


def hashes(folder: Path) -> dict[str, str]:
    """Return SHA-256 by file of its relevant content, without machine, cost and time."""
    return {name: file_hash(folder / name) for name in FILES}


def file_hash(path: Path) -> str:
    """Return the hash of one file as in ``hashes``; raise OSError or ValueError if it is
    unreadable.
    """
    if path.name == "config.yaml":
        return digest(portable(read_yaml(path)))
    if path.name == "manifest.json":
        content = json.loads(path.read_text())
        return digest({key: value for key, value in content.items() if key not in MEASURED})
    return file_sha256(path)


def portable(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a sweep's configuration without the keys that belong to a machine."""
    kept = {key: value for key, value in config.items() if key not in HERE}
    given = kept.get("given", ())
    kept["given"] = [text for text in given if re.split("[.=]", text, maxsplit=1)[0] not in HERE]
    return kept


def recorded(folder: Path, lock: Lock) -> dict[str, str]:
    """Return the recorded hashes of a folder's files by name, from its lock and its ledger line.

    A held-out file without that line has an empty hash. Raises HarnessError as ``read_entry`` does.
    """
    entry = read_entry(folder, lock)
    if entry:
        return {**lock["files"], **entry["files"]}
    if lock["files"] and (folder / HELDOUT[0]).is_file():
        return {**lock["files"], **dict.fromkeys(HELDOUT, "")}
    return lock["files"]


def check_file(folder: Path, name: str, recorded: Mapping[str, str]) -> None:
    """Raise HarnessError if a file differs from the recorded one; a file without a
    record passes.
    """
    if name not in recorded:
        return
    fault = "changed since it was written (its SHA-256 differs)"
    mend = "copy the folder again from where it was made, or sweep again"
    if not recorded[name]:
        name, mend = ENTRY, "run `harness heldout` again: it finishes the same evaluation"
    elif name in HELDOUT:
        mend = "delete it and run `harness heldout` again: the same evaluation gives the same bytes"
    try:
        if file_hash(folder / name) == recorded[name]:
            return
    except FileNotFoundError:
        fault = "missing"
    except (
        OSError,
        ValueError,
        TypeError,
        RecursionError,
        AttributeError,
        yaml.YAMLError,
    ) as error:
        fault = f"damaged ({' '.join(str(error).split())[:120] or type(error).__name__})"
    raise HarnessError(f"{folder / name}: {fault}; {mend}")


def read_entry(folder: Path, lock: Lock) -> EvaluationEntry | None:
    """Return the ledger line of this folder's held-out files; None if nothing was held out.

    Raises HarnessError if it was changed, or belongs to another lock.
    """
    path = folder / ENTRY
    fault: str | None = None
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
        own = entry == sealed(entry)
        files = {str(name): str(value) for name, value in entry["files"].items()}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        fault = f"damaged ({type(error).__name__})"
    else:
        if unlike := misfit(entry, EvaluationEntry):
            fault = f"damaged ({unlike})"
        elif not own or entry.get("lock_sha256") != lock["sha256"]:
            fault = "not the evaluation of this lock"
    if fault:
        raise HarnessError(f"{path}: {fault}; delete it and run `harness heldout` again")
    entry["files"] = files
    return cast("EvaluationEntry", entry)
