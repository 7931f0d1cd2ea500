"""The reader of ``winner.lock.json``: complete, unchanged, and in the expected form."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import yaml

from harness.core.errors import HarnessError
from harness.core.identity import digest, file_sha256, sealed
from harness.core.input.read import read_json, read_yaml

LOCK = "winner.lock.json"
KEYS = (
    "winner",
    "fusers",
    "baselines",
    "lists",
    "reference",
    "best_single",
    "dataset",
    "data_sha256",
    "objective",
    "code",
    "libraries",
    "files",
)
"""The keys that every lock has."""
OLDEST = (0, 6)
"""The oldest release whose sweeps are shown. Raise it when a stored form changes."""
Lock = Mapping[str, Any]
"""The content of a lock (see ``harness.sweep.judge.choice.lock``)."""


def lock_file(named: str | Path) -> Path:
    """Return the path of the lock, given the file or the folder of a sweep."""
    return Path(named) / LOCK if Path(named).is_dir() else Path(named)


def read_lock(path: Path) -> Lock:
    """Return the lock at ``path``; raise HarnessError if it is missing, damaged, changed or
    incomplete.
    """
    expected = f"the lock of a sweep, runs/sweeps/NAME/{LOCK}"
    if not path.exists():
        fault = f"no such file; expected {expected}"
        if (path.parent / "config.yaml").exists():
            fault = "there is no lock; the sweep was interrupted before it chose: sweep again"
        raise HarnessError(f"{path}: {fault}")
    lock: Any = read_json(path, expected)
    if not isinstance(lock, dict) or "sha256" not in lock:
        fault = f"expected {expected}"
    elif refused := _refuse_release(str(lock.get("code"))):
        fault = refused
    elif lock != sealed(lock):
        fault = "changed since it was written (its sha256 differs); sweep again for a new lock"
    elif missing := [key for key in KEYS if key not in lock]:
        fault = f"{missing[0]} is missing; sweep again for a new lock"
    else:
        return cast("Lock", lock)
    raise HarnessError(f"{path}: {fault}")


def _refuse_release(code: str) -> str | None:
    """Return why sweeps of the release that wrote a lock are not shown, or None if they are.

    Args:
        code: the release and the hash of its code, ``0.5.0+bf8aff8986c5``.
    """
    release = code.partition("+")[0]
    numbers = re.match(r"(\d+)\.(\d+)", release)
    if numbers is None or tuple(map(int, numbers.groups())) >= OLDEST:
        return None
    return (
        f"written by release {release}, and this one shows sweeps of {OLDEST[0]}.{OLDEST[1]} and "
        f"later; show it with release {release}, or sweep again"
    )


def check_same(folder: Path, what: str, locked: object, now: object) -> None:
    """Raise HarnessError if what the lock of a sweep depends on has changed.

    Args:
        folder: the sweep's.
        what: what is compared, for the message.
        locked: its value in the lock.
        now: its value now.
    """
    if locked != now:
        raise HarnessError(
            f"{folder / LOCK}: the {what} changed since locking (locked: "
            f"{_differing(locked, now)}, now: {_differing(now, locked)}); sweep again for a new "
            "lock"
        )


def _differing(value: object, other: object) -> str:
    """Return the items of a mapping that another lacks, or the value itself."""
    if isinstance(value, Mapping) and isinstance(other, Mapping):
        items = (f"{key} {item}" for key, item in value.items() if other.get(key) != item)
        return ", ".join(items) or "none"
    return str(value)[:60]


def locked_rows(lock: Lock) -> list[dict[str, Any]]:
    """Return the rows of all locked trials; a trial with two roles has two."""
    return [lock["winner"], *lock["fusers"], *(lock.get("named") or ()), *lock["baselines"]]


def locked_trials(lock: Lock) -> dict[str, list[str]]:
    """Return the roles of each locked trial (``winner``, ``best boltzmann``, ``baseline``) by hash,
    in order.
    """
    roles = [
        (lock["winner"], "winner"),
        *((row, f"best {row['family']}") for row in lock["fusers"]),
        *((row, "experiment") for row in lock.get("named") or ()),
        *((row, "baseline") for row in lock["baselines"]),
    ]
    found: dict[str, list[str]] = {}
    for row, role in roles:
        found.setdefault(row["trial"], []).append(role)
    return found


def list_of(family: str, equals: str | None, lists: Mapping[str, str]) -> str | None:
    """Return the list whose gold ranks a fusion has, or None.

    Args:
        family: the fuser's name; ``single`` for a list alone.
        equals: hash of the first trial with the same gold ranks (see ``JudgedTrial``).
        lists: the hash of each single list's trial, by name.
    """
    if family == "single" or equals is None:
        return None
    return next((name for name, key in lists.items() if key == equals), None)


def title_of(name: str, listed: str | None) -> str:
    """Return the winner's name; ``graph (locked as boltzmann ...)`` if it ranks as a list."""
    return f"{listed} (locked as {name})" if listed else name


def locked_winner(lock: Lock) -> str:
    """Return the title of a lock's winner, as on tune."""
    row = lock["winner"]
    return title_of(row["name"], list_of(row["family"], row["equals"], lock["lists"]))


def learned(lock: Lock) -> dict[str, Mapping[str, object]]:
    """Return what each locked trial has learned, by hash and knob."""
    return {row["trial"]: row.get("learned", {}) for row in locked_rows(lock)}


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
    kept = {key: value for key, value in config.items() if key not in HERE}
    given = kept.get("given", ())
    kept["given"] = [text for text in given if re.split("[.=]", text, maxsplit=1)[0] not in HERE]
    return kept


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
