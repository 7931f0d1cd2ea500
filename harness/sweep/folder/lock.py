"""The reader of ``winner.lock.json``: complete, unchanged, and in the expected form."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.core.errors import HarnessError
from harness.core.identity import sealed
from harness.core.input import read_json

LOCK = "winner.lock.json"
KEYS = (
    "winner",
    "fusers",
    "baselines",
    "dataset",
    "data_sha256",
    "objective",
    "code",
    "libraries",
    "files",
)
"""The keys that every lock has."""
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
        interrupted = (path.parent / "config.yaml").exists()
        why = "the sweep was interrupted before it chose: sweep again"
        message = f"there is no lock; {why}" if interrupted else f"expected {expected}"
        raise HarnessError(f"{path}: {message}")
    lock = read_json(path, expected)
    if not isinstance(lock, dict) or "sha256" not in lock:
        raise HarnessError(f"{path}: expected {expected}")
    if lock != sealed(lock):
        raise HarnessError(
            f"{path}: changed since it was written (its sha256 differs); sweep again for a new lock"
        )
    if missing := [key for key in KEYS if key not in lock]:
        raise HarnessError(f"{path}: {missing[0]} is missing; sweep again for a new lock")
    return lock


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
    own = (lock.get("added") or {}).values()
    return [lock["winner"], *lock["fusers"], *(lock.get("named") or ()), *own, *lock["baselines"]]


def locked_trials(lock: Lock) -> dict[str, list[str]]:
    """Return the roles of each locked trial (``winner``, ``best boltzmann``, ``baseline``) by hash,
    in order.
    """
    roles: dict[str, list[str]] = {lock["winner"]["trial"]: ["winner"]}
    for row in lock["fusers"]:
        roles.setdefault(row["trial"], []).append(f"best {row['family']}")
    for row in lock.get("named") or ():
        roles.setdefault(row["trial"], []).append("experiment")
    for name, row in (lock.get("added") or {}).items():
        if (role := f"best {name.removeprefix('fuser=')}") not in roles.setdefault(
            row["trial"], []
        ):
            roles[row["trial"]].append(role)
    for row in lock["baselines"]:
        roles.setdefault(row["trial"], []).append("baseline")
    return roles


def learned(lock: Lock) -> dict[str, Mapping[str, object]]:
    """Return what each locked trial has learned, by hash and knob."""
    return {row["trial"]: row.get("learned", {}) for row in locked_rows(lock)}
