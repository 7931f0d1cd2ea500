"""The files of a sweep's folder, and the hashes by which a changed one is found."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import yaml

from harness.core.errors import HarnessError
from harness.core.identity import digest, file_sha256, sealed
from harness.core.input.read import read_yaml
from harness.sweep.folder.lock import LOCK, Lock

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
NAMES = (LOCK, ENTRY, *FILES, *HELDOUT)
"""All files that a folder, or an archive of it, may have."""
HERE = ("paths", "tracking", "device")
"""Keys of a configuration that belong to a machine, not to a sweep."""
MEASURED = ("time", "seconds", "cost", "machine")
"""Keys of a manifest that each run of the same sweep measures again."""


LedgerLine = Mapping[str, Any]
"""A line of the ledger that records an evaluation."""


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
    content = {key: value for key, value in config.items() if key not in HERE}
    overrides = content.get("given", ())
    content["given"] = [
        text for text in overrides if re.split("[.=]", text, maxsplit=1)[0] not in HERE
    ]
    return content


def recorded(folder: Path, lock: Lock) -> dict[str, str]:
    """Return the recorded hashes of a folder's files by name, from its lock and its ledger line.

    A held-out file without that line has an empty hash. Raises HarnessError as ``read_entry`` does.
    """
    hashes = dict(lock["files"])
    if entry := read_entry(folder, lock):
        hashes |= entry["files"]
    elif hashes and (folder / HELDOUT[0]).is_file():
        hashes |= dict.fromkeys(HELDOUT, "")
    return hashes


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


def read_entry(folder: Path, lock: Lock) -> LedgerLine | None:
    """Return the ledger line of this folder's held-out files; None if nothing was held out.

    Raises HarnessError if it was changed, or belongs to another lock.
    """
    path = folder / ENTRY
    if not path.exists():
        return None
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
        fault = None if entry == sealed(entry) else "damaged"
        if not fault and entry.get("lock_sha256") != lock["sha256"]:
            fault = "not the evaluation of this lock"
    except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
        fault = f"damaged ({type(error).__name__})"
    if fault:
        raise HarnessError(f"{path}: {fault}; delete it and run `harness heldout` again")
    return cast("LedgerLine", entry)
