"""Reading a ``winner.lock.json``: whole, as it was written, and of the form that its readers need."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.core.errors import HarnessError
from harness.core.identity import digest
from harness.core.input import read_json
from harness.sweep.folder.rows import Row

LOCK = "winner.lock.json"
NUMBER = (int, float)
"""A finite number; a truth value is none."""
ROW = {"trial": str, "name": str, "family": str, "parameters": {"*": object}, "overrides": [str],
       "learned?": {"*": object}}  # fmt: skip
"""The form of each row of a lock."""
FORM = {
    "winner": ROW, "fusers": [ROW], "named?": [ROW], "added?": {"*": ROW}, "baselines": [ROW],
    "dataset": str, "data_sha256": str, "objective": str, "code": str, "libraries": {"*": str},
    "sources?": {"*": str}, "reference?": str, "best_single?": str, "power?": {"*": (*NUMBER, type(None))},
    "expected_difference?": {"*": NUMBER},
}  # fmt: skip
"""What a lock must hold, and may."""


def lock_file(named: str | Path) -> Path:
    """The lock that a file, or the folder of a sweep, names."""
    return Path(named) / LOCK if Path(named).is_dir() else Path(named)


def read_lock(path: Path) -> dict[str, Any]:
    """The lock at ``path``. Raises HarnessError when it is missing, damaged, changed or incomplete."""
    if not path.exists() and path.name != LOCK:
        raise HarnessError(f"{path}: there is no such file or folder; give runs/sweeps/NAME, or its {LOCK}")
    if not path.exists():
        raise HarnessError(
            f"{path}: there is no lock; the sweep was interrupted before it chose: run the same `harness sweep` again"
        )
    lock = read_json(path, f"the lock of a sweep, runs/sweeps/NAME/{LOCK}")
    if not isinstance(lock, dict) or not isinstance(lock.get("sha256"), str):
        raise HarnessError(f"{path}: no lock of a sweep; give runs/sweeps/NAME/{LOCK}")
    if digest({key: value for key, value in lock.items() if key != "sha256"}) != lock["sha256"]:
        raise HarnessError(f"{path}: changed since it was written (its sha256 differs); sweep again to lock anew")
    if (told := misfit(lock, FORM)) is not None:
        raise HarnessError(f"{path}: {told}; sweep again")
    return lock


def locked_rows(lock: Mapping[str, Any]) -> list[Row]:
    """The rows of all locked trials; a trial with two roles has two."""
    own = lock.get("added", {}).values()
    return [lock["winner"], *lock["fusers"], *lock.get("named", ()), *own, *lock["baselines"]]


def locked_trials(lock: Mapping[str, Any]) -> dict[str, list[str]]:
    """Trial hash -> the roles it was locked in (``winner``, ``best boltzmann``, ``baseline``), in the lock's order."""
    roles: dict[str, list[str]] = {lock["winner"]["trial"]: ["winner"]}
    for row in lock["fusers"]:
        roles.setdefault(row["trial"], []).append(f"best {row['family']}")
    for row in lock.get("named", ()):
        roles.setdefault(row["trial"], []).append("experiment")
    for name, row in lock.get("added", {}).items():
        if (role := f"best {name.removeprefix('fuser=')}") not in roles.setdefault(row["trial"], []):
            roles[row["trial"]].append(role)
    for row in lock["baselines"]:
        roles.setdefault(row["trial"], []).append("baseline")
    return roles


def learned(lock: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """What each locked trial has learned, by hash and knob; nothing for one that does not learn."""
    return {row["trial"]: row.get("learned", {}) for row in locked_rows(lock)}


def misfit(value: Any, form: Any, place: str = "") -> str | None:
    """The first value that is not of its form, as ``coverage.dense = 3, expected a mapping``; None where all are.

    form: a type or several of them (None among them as ``type(None)``); ``[form]``, a list of such values;
    ``{key: form}``, a mapping, in which a key that ends with ``?`` may be missing or null; ``*`` stands for any key.
    """
    if isinstance(form, list):
        if not isinstance(value, list):
            return _told(place, value, "a list")
        parts = ((str(number), item, form[0]) for number, item in enumerate(value))
    elif isinstance(form, dict):
        if not isinstance(value, Mapping):
            return _told(place, value, "a mapping")
        if missing := [key for key in form if not key.endswith("?") and key not in ("*", *value)]:
            return f"{'.'.join(filter(None, (place, missing[0])))} is missing"
        parts = (
            (str(name), value[name], inner)
            for key, inner in form.items()
            for name in (value if key == "*" else [key.rstrip("?")])
            if not (key.endswith("?") and value.get(name) is None)
        )
    else:
        kinds = form if isinstance(form, tuple) else (form,)
        fits = isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))
        finite = not isinstance(value, float) or math.isfinite(value)
        return None if fits and finite else _told(place, value, " or ".join(kind.__name__ for kind in kinds))
    told = (misfit(item, inner, ".".join(filter(None, (place, name)))) for name, item, inner in parts)
    return next(filter(None, told), None)


def _told(place: str, value: Any, expected: str) -> str:
    return f"{place} = {str(value)[:40]!r}, expected {expected}"
