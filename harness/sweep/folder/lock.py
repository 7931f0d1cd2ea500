"""Reading a ``winner.lock.json``: whole, as it was written, and of the form that its
readers need.
"""

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
    """What the winner's test against the best single list can show, as
    ``harness.sweep.judge.foresight`` counts it.
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
    """A best trial at the edge of its grid, as ``harness.sweep.judge.edge`` finds it."""

    family: str
    winner: bool
    knob: str
    value: Number
    next: Number


class Locked(TypedDict):
    """What every lock has."""

    winner: Named
    fusers: list[Named]
    baselines: list[Named]
    dataset: str
    data_sha256: str
    objective: str
    code: str
    libraries: dict[str, str]
    sha256: str


class Lock(Locked, total=False):
    """What a lock must hold, and may."""

    named: list[Named] | None
    added: dict[str, Named] | None
    margin: Number
    split_sha256: str | None
    splitting: str
    edges: list[Edged]
    versions: dict[str, str] | None
    made_by: dict[str, dict[str, dict[str, str]]]
    files: dict[str, str]
    reference: str | None
    best_single: str | None
    expected: Forecast | None
    power: Power | None
    expected_difference: dict[str, Number] | None


def lock_file(named: str | Path) -> Path:
    """The lock that a file, or the folder of a sweep, names."""
    return Path(named) / LOCK if Path(named).is_dir() else Path(named)


def read_lock(path: Path) -> Lock:
    """The lock at ``path``. Raises HarnessError when it is missing, damaged, changed or
    incomplete.
    """
    if not path.exists() and path.name != LOCK:
        raise HarnessError(
            f"{path}: there is no such file or folder; give runs/sweeps/NAME, or its {LOCK}"
        )
    if not path.exists():
        raise HarnessError(
            f"{path}: there is no lock; the sweep was interrupted before it chose: run the same "
            "`harness sweep` again"
        )
    lock = read_json(path, f"the lock of a sweep, runs/sweeps/NAME/{LOCK}")
    if not isinstance(lock, dict) or not isinstance(lock.get("sha256"), str):
        raise HarnessError(f"{path}: no lock of a sweep; give runs/sweeps/NAME/{LOCK}")
    if lock != sealed(lock):
        raise HarnessError(
            f"{path}: changed since it was written (its sha256 differs); sweep again for a new lock"
        )
    if (told := misfit(lock, Lock)) is not None:
        raise HarnessError(f"{path}: {told}; sweep again")
    return cast("Lock", lock)


def locked_rows(lock: Lock) -> list[Named]:
    """The rows of all locked trials; a trial with two roles has two."""
    own = (lock.get("added") or {}).values()
    return [lock["winner"], *lock["fusers"], *(lock.get("named") or ()), *own, *lock["baselines"]]


def locked_trials(lock: Lock) -> dict[str, list[str]]:
    """Trial hash -> the roles it was locked in (``winner``, ``best boltzmann``, ``baseline``), in
    the lock's order.
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
    """What each locked trial has learned, by hash and knob; nothing for one that does not learn."""
    return {row["trial"]: row.get("learned", {}) for row in locked_rows(lock)}
