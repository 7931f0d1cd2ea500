"""Choosing on tune, and writing the choice down before anything touches test."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from harness.benchmark import Benchmark
from harness.core.errors import HarnessError
from harness.core.identity import code_version, library_versions, sealed
from harness.sweep.folder.lock import LOCK, Lock, locked_rows, locked_trials
from harness.sweep.folder.result import SweepResult
from harness.sweep.folder.rows import Row, score


def order(rows: Sequence[Row], objective: str) -> list[int]:
    """The places of the rows by the rule of the protocol: objective, fewer losses, alpha nearer .5,
    name; those that are not practical come last.
    """

    def key(number: int) -> tuple[Any, ...]:
        row = rows[number]
        return (
            row.get("practical") is False,
            -score(row, objective),
            row["losses"] or 0,
            *tiebreak(row["parameters"], row["name"], row["trial"]),
        )

    return sorted(range(len(rows)), key=key)


def tiebreak(knobs: Mapping[str, Any], name: str, trial: str) -> tuple[float, str, str]:
    """What settles trials with the same objective and losses: alpha's distance to .5 (0 without
    alpha), then name.
    """
    return round(abs(knobs.get("fuser.alpha", 0.5) - 0.5), 12), name, trial


def best_of_fusers(rows: Sequence[Row]) -> list[Row]:
    """The first row of each fuser.    rows: in the order of the rule."""
    best: dict[str, Row] = {}
    for row in rows:
        best.setdefault(row["family"], row)
    return [row for family, row in best.items() if family != "single"]


def lock(
    rows: Sequence[Row],
    facts: Mapping[str, object],
    named: Sequence[int] = (),
    added: Mapping[str, int] = MappingProxyType({}),
    learned: Callable[[Sequence[str]], Mapping[str, Mapping[str, object]]] = lambda keys: {},
) -> dict[str, object]:
    """The lock of an ordered leaderboard: the winner, the best trial of each fuser, the untuned
    baselines.

    named: the places of the trials that an experiment's tables are about; they are locked too.
    added: the places of the best trials of what the command line added, by its name; they are
    locked too.
    learned: what the trials of these hashes learn on all of tune, by hash and knob; nothing for one
    that does not learn. It is locked with them, and test is scored by it.

    The winner is the best trial that fuses; single lists are baselines beside it, and
    ``best_single`` names the best.
    facts: what the lock is tied to (dataset, data_sha256, objective, ...). ``sha256`` covers all
    the rest.
    """
    single = [row for row in rows if row["family"] == "single"]
    fused = [row for row in rows if row["family"] != "single"]
    content: Any = {
        **facts,
        "code": code_version(),
        "libraries": library_versions(),
        "winner": dict((fused or single)[0]),
        "fusers": [dict(row) for row in best_of_fusers(rows)],
        "named": [dict(rows[place]) for place in named],
        **({"added": {name: dict(rows[place]) for name, place in added.items()}} if added else {}),
        "baselines": [dict(row) for row in [*single, *(row for row in fused if row["untuned"])]],
        "best_single": single[0]["name"] if single else None,
    }
    known = learned(list(locked_trials(content)))
    for row in locked_rows(content):
        if known.get(row["trial"]):
            row["learned"] = dict(known[row["trial"]])
    return sealed(content)


def check_unchanged(result: SweepResult, data: Benchmark, versions: Mapping[str, str]) -> Lock:
    """The lock of a sweep, if nothing that it is tied to has changed. Raises HarnessError that says
    what has.

    versions: of the classes of other packages that its trials are made of, as they are now.
    """
    lock = result.lock
    for what, locked, now in (
        ("data", lock["data_sha256"], data.sha256),
        ("split", lock.get("split_sha256"), data.split_facts.get("split_sha256")),
        ("code", lock["code"], code_version()),
        ("code", lock.get("versions") or {}, versions),
        ("libraries", lock["libraries"], library_versions()),
    ):
        if locked != now:
            raise HarnessError(
                f"{result.folder / LOCK}: the {what} changed since locking (locked: "
                f"{_differing(locked, now)}, now: "
                f"{_differing(now, locked)}); sweep again for a new lock"
            )
    return lock


def _differing(value: Any, other: Any) -> str:
    """The items of a mapping that another has not, or the value itself."""
    if isinstance(value, Mapping):
        return (
            ", ".join(f"{key} {item}" for key, item in value.items() if other.get(key) != item)
            or "none"
        )
    return str(value)[:60]
