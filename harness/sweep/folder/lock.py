"""What a sweep locked: the reader of ``winner.lock.json``, its trials, and the lists that they are
compared with.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from harness.core.errors import HarnessError
from harness.core.identity import sealed
from harness.core.input.read import read_json

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
    locked = [
        (lock["winner"], "winner"),
        *((row, f"best {row['family']}") for row in lock["fusers"]),
        *((row, "experiment") for row in lock.get("named") or ()),
        *((row, "baseline") for row in lock["baselines"]),
    ]
    roles: dict[str, list[str]] = {}
    for row, role in locked:
        roles.setdefault(row["trial"], []).append(role)
    return roles


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


Group = tuple[Literal["list", "winner", "exploratory"], str]
"""The comparisons that are decided together: all with one list on tune (its name), the tests of the
winner on test, and all other comparisons on test.
"""


@dataclass(frozen=True)
class Baselines:
    """The trial of each single list, and the two lists that all trials are compared with.

    Attributes:
        lists: the hash of the trial of each list alone, on the whole list, by name.
        reference: the name of the list against which wins and losses are counted.
        best: the name of the best single list of tune, by the order of the protocol; None if no
            list is practical.
    """

    lists: Mapping[str, str]
    reference: str
    best: str | None

    @classmethod
    def of_lock(cls, lock: Lock) -> Baselines:
        """Return what a sweep locked."""
        return cls(lock["lists"], lock["reference"], lock["best_single"])

    @property
    def opponents(self) -> dict[str, str]:
        """The hashes of the reference and of the best list by name, the reference first."""
        names = dict.fromkeys([self.reference, self.best or self.reference])
        return {name: self.lists[name] for name in names if name in self.lists}


def group_of(split: str, trial: str, against: str, winner: str | None) -> Group:
    """Return the group of a comparison.

    Args:
        split: tune or test.
        trial: hash of the compared trial.
        against: name of the list.
        winner: hash of the locked winner.
    """
    if split == "tune":
        return "list", against
    return ("winner", "") if trial == winner else ("exploratory", "")
