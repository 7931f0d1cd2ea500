"""Choosing on tune, and writing the choice down before anything touches test."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from harness.errors import HarnessError
from harness.identity import code_version, digest, library_versions
from harness.sweep.judgement import Row
from harness.sweep.result import LOCK, SweepResult


def order(rows: Sequence[Row], objective: str) -> list[int]:
    """The places of the rows by the rule of the protocol: objective, fewer losses, alpha nearer .5, name."""

    def key(number: int) -> tuple[Any, ...]:
        row = rows[number]
        return -row[objective], row["losses"] or 0, *tiebreak(row)

    return sorted(range(len(rows)), key=key)


def tiebreak(row: Row) -> tuple[float, str, str]:
    """What settles trials with the same objective and losses: alpha's distance to .5 (0 without alpha), then name."""
    return round(abs(row["parameters"].get("fuser.alpha", 0.5) - 0.5), 12), row["name"], row["trial"]


def lock(
    rows: Sequence[Row],
    facts: Mapping[str, Any],
    named: Sequence[int] = (),
    learned: Callable[[Sequence[str]], Mapping[str, Mapping[str, Any]]] = lambda keys: {},
) -> dict[str, Any]:
    """The lock of an ordered leaderboard: the winner, the best trial of each fuser, the untuned baselines.

    named: the places of the trials that an experiment's tables are about; they are locked too.
    learned: what the trials of these hashes learn on all of tune, by hash and knob; nothing for one that does not
    learn. It is locked with them, and test is scored by it.

    The winner is the best trial that fuses; single lists are baselines beside it, and ``best_single`` names the best.
    facts: what the lock is tied to (dataset, data_sha256, objective, ...). ``sha256`` covers all the rest.
    """
    single = [row for row in rows if row["family"] == "single"]
    fused = [row for row in rows if row["family"] != "single"]
    best: dict[str, Row] = {}
    for row in fused:
        best.setdefault(row["family"], row)
    content = {
        **facts,
        "code": code_version(),
        "libraries": library_versions(),
        "winner": dict((fused or single)[0]),
        "fusers": [dict(row) for row in best.values()],
        "named": [dict(rows[place]) for place in named],
        "baselines": [dict(row) for row in [*single, *(row for row in fused if row["untuned"])]],
        "best_single": single[0]["name"] if single else None,
    }
    known = learned(list(locked_trials(content)))
    for row in _rows(content):
        if known.get(row["trial"]):
            row["learned"] = known[row["trial"]]
    return {**content, "sha256": digest(content)}


def opened(result: SweepResult, data_sha256: str) -> Mapping[str, Any]:
    """The lock of a sweep, if nothing that it is tied to has changed. Raises HarnessError that says what has."""
    content = {key: value for key, value in result.lock.items() if key != "sha256"}
    path = result.folder / LOCK
    if digest(content) != result.lock.get("sha256"):
        raise HarnessError(f"{path}: changed since it was written (its sha256 differs); sweep again to lock anew")
    for what, locked, now in (
        ("data", content["data_sha256"], data_sha256),
        ("code", content["code"], code_version()),
        ("libraries", content["libraries"], library_versions()),
    ):
        if locked != now:
            raise HarnessError(
                f"{path}: the {what} changed since locking (locked: {_told(locked, now)}, now: {_told(now, locked)}); "
                "sweep again to lock anew"
            )
    return result.lock


def locked_trials(lock: Mapping[str, Any]) -> dict[str, list[str]]:
    """Trial hash -> the roles it was locked in (``winner``, ``best boltzmann``, ``baseline``), in the lock's order."""
    roles: dict[str, list[str]] = {lock["winner"]["trial"]: ["winner"]}
    for row in lock["fusers"]:
        roles.setdefault(row["trial"], []).append(f"best {row['family']}")
    for row in lock.get("named", ()):
        roles.setdefault(row["trial"], []).append("experiment")
    for row in lock["baselines"]:
        roles.setdefault(row["trial"], []).append("baseline")
    return roles


def learned(lock: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """What each locked trial has learned, by hash and knob; nothing for one that does not learn."""
    return {row["trial"]: row.get("learned", {}) for row in _rows(lock)}


def _rows(lock: Mapping[str, Any]) -> list[Row]:
    return [lock["winner"], *lock["fusers"], *lock.get("named", ()), *lock["baselines"]]


def _told(value: Any, other: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {item}" for key, item in value.items() if other.get(key) != item) or "none"
    return str(value)[:60]
