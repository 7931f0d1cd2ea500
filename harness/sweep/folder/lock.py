"""The reader of ``winner.lock.json``: complete, unchanged, and in the expected form."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NotRequired, cast

from typing_extensions import TypedDict

from harness.core.errors import HarnessError
from harness.core.identity import sealed
from harness.core.input import Number, misfit, read_json
from harness.sweep.folder.rows import Forecast, Named

LOCK = "winner.lock.json"


class Power(TypedDict):
    """The power of the winner's test against the best single list
    (``harness.sweep.judge.foresight``).
    """

    n: int
    n_effective: NotRequired[int]
    discordance: Number
    effect: Number
    effect_corrected: NotRequired[Number]
    smallest: Number | None
    power: Number
    power_corrected: NotRequired[Number]
    queries: int | None


class Edged(TypedDict):
    """A best trial at the edge of its grid (``harness.sweep.judge.edge``)."""

    family: str
    winner: bool
    knob: str
    value: Number
    next: Number


class Locked(TypedDict):
    """The required fields of a lock."""

    winner: Named
    fusers: list[Named]
    baselines: list[Named]
    dataset: str
    data_sha256: str
    objective: str
    code: str
    libraries: dict[str, str]
    files: dict[str, str]
    sha256: str


class Lock(Locked, total=False):
    """The required and optional fields of a lock."""

    named: list[Named] | None
    added: dict[str, Named] | None
    margin: Number
    split_sha256: str | None
    splitting: str
    edges: list[Edged]
    versions: dict[str, str] | None
    orders: dict[str, str] | None
    made_by: dict[str, dict[str, dict[str, str]]]
    reference: str | None
    best_single: str | None
    expected: Forecast | None
    power: Power | None
    expected_difference: dict[str, Number] | None


def lock_file(named: str | Path) -> Path:
    """Return the path of the lock, given the file or the folder of a sweep."""
    return Path(named) / LOCK if Path(named).is_dir() else Path(named)


def read_lock(path: Path) -> Lock:
    """Return the lock at ``path``; raise HarnessError if it is missing, damaged, changed or
    incomplete.
    """
    expected = f"the lock of a sweep, runs/sweeps/NAME/{LOCK}"
    lock = read_json(path, expected) if path.exists() else None
    if path.exists() and not (isinstance(lock, dict) and isinstance(lock.get("sha256"), str)):
        message: str | None = f"expected {expected}"
    elif isinstance(lock, dict):
        changed = "changed since it was written (its sha256 differs); sweep again for a new lock"
        message = changed if lock != sealed(lock) else misfit(lock, Lock)
    elif (path.parent / "config.yaml").exists():
        message = "there is no lock; the sweep was interrupted before it chose: sweep again"
    else:
        message = f"there is no such file; expected {expected}"
    if message is not None:
        raise HarnessError(f"{path}: {message}")
    return cast("Lock", lock)


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


def locked_rows(lock: Lock) -> list[Named]:
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
