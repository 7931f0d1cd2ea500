"""The choice on tune, and the lock that records it before test is touched."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.benchmark import Benchmark
from harness.core.arrays import Int32Array
from harness.core.errors import HarnessError
from harness.core.identity import code_version, library_versions, sealed
from harness.evaluation.metric import Metric, means
from harness.sweep.folder.files import check_file
from harness.sweep.folder.judged_trial import JudgedTrial, Tie, tiebreak
from harness.sweep.folder.lock import LOCK, Baselines, Lock, check_same, locked_rows, locked_trials
from harness.sweep.folder.result import SweepResult

if TYPE_CHECKING:
    from harness.sweep.trial.trial import Trial


@dataclass(frozen=True)
class Chosen:
    """What tune decides before anything is judged.

    Attributes:
        names: a name for each trial by hash; no two are equal.
        baselines: the trial of each list, the reference and the best list.
        winner: hash of the best trial that fuses (of the best list, if none does).
        order: hashes of the trials in the order of the protocol; empty if read from a lock.
    """

    names: Mapping[str, str]
    baselines: Baselines
    winner: str
    order: Sequence[str] = ()

    @classmethod
    def of_lock(cls, lock: Lock) -> Chosen:
        """Return what a sweep locked."""
        names = {row["trial"]: row["name"] for row in locked_rows(lock)}
        return cls(names, Baselines.of_lock(lock), lock["winner"]["trial"])


def choose(
    trials: Mapping[str, Trial],
    ranks: Int32Array,
    metric: Metric,
    reference: str,
    impractical: Collection[str] = (),
) -> Chosen:
    """Return the order of the trials on tune, the baselines and the winner.

    The order is: practical trials first, better objective, fewer losses against the reference,
    alpha nearer .5, name. The winner is the first trial that fuses, the best list the first one.

    Args:
        trials: by hash.
        ranks: int32[T, Q, H], their gold ranks on tune.
        metric: the objective.
        reference: the list against which losses are counted.
        impractical: lists that use the gold.
    """
    from harness.sweep.trial.trial import trial_names

    names, keys = trial_names(trials), list(trials)
    candidates = [
        (is_practical(trial, impractical), tiebreak(trial.settings, names[key], key))
        for key, trial in trials.items()
    ]
    lists = {
        str(trial.settings["fuser.list"]): key
        for key, trial in trials.items()
        if trial.family == "single" and trial.pool.effective_cap is None
    }
    base = keys.index(lists[reference]) if reference in lists else None
    order = [keys[place] for place in by_rule(candidates, ranks, metric, base)]
    owners = {key: name for name, key in lists.items() if name not in impractical}
    best = next((owners[key] for key in order if key in owners), None)
    fused = [key for key in order if trials[key].family != "single"]
    return Chosen(names, Baselines(lists, reference, best), (fused or order)[0], order)


def by_rule(
    candidates: Sequence[tuple[bool, Tie]],
    ranks: Int32Array,
    metric: Metric,
    base: int | None,
) -> list[int]:
    """Return the indices of trials in the order of the protocol by a metric.

    Args:
        candidates: of each of the T trials, whether it could be chosen in practice, and its tie.
        ranks: int32[T, Q, H], their gold ranks on tune.
        metric: the metric of the choice.
        base: index of the list against which losses are counted; None: no loss is counted.
    """
    gains = metric.gain(metric(ranks))
    scores = metric.gain(means(ranks, [metric])[:, 0])
    losses = np.zeros(len(ranks)) if base is None else (gains < gains[base]).sum(axis=1)

    def rule(place: int) -> tuple[Any, ...]:
        practical, tie = candidates[place]
        return not practical, -float(scores[place]), int(losses[place]), *tie

    return sorted(range(len(ranks)), key=rule)


def is_practical(trial: Trial, impractical: Collection[str]) -> bool:
    """Return whether none of a trial's lists uses the gold."""
    return not {*trial.pool.lists} & {*impractical}


def best_of_fusers(rows: Sequence[JudgedTrial]) -> list[JudgedTrial]:
    """Return the first row of each fuser, from rows in the order of the rule."""
    best: dict[str, JudgedTrial] = {}
    for row in rows:
        best.setdefault(row.family, row)
    return [row for family, row in best.items() if family != "single"]


def lock(
    rows: Sequence[JudgedTrial],
    chosen: Chosen,
    facts: Mapping[str, object],
    named: Sequence[int] = (),
    learned: Callable[[Sequence[str]], Mapping[str, Mapping[str, object]]] = lambda keys: {},
) -> dict[str, object]:
    """Return the lock of an ordered leaderboard: winner, best trial of each fuser, untuned
    baselines.

    ``lists`` has the hash of each single list's trial, ``best_single`` the name of the best one.
    ``sha256`` covers all other keys.

    Args:
        rows: the leaderboard.
        chosen: the baselines and the winner.
        facts: what the lock depends on (dataset, data_sha256, objective, ...).
        named: indices of the trials in an experiment's tables, which are locked, too.
        learned: by hash and knob, what trials learn on all of tune. It is locked with them, and
            test is scored with it.
    """
    single = [row for row in rows if row.is_single]
    untuned = [row for row in rows if row.untuned and not row.is_single]
    content: Any = {
        **facts,
        "code": code_version(),
        "libraries": library_versions(),
        "winner": next(dict(row.record) for row in rows if row.trial == chosen.winner),
        "fusers": [dict(row.record) for row in best_of_fusers(rows)],
        "named": [dict(rows[place].record) for place in named],
        "baselines": [dict(row.record) for row in (*single, *untuned)],
        "lists": dict(chosen.baselines.lists),
        "best_single": chosen.baselines.best,
    }
    learned_by_hash = learned(list(locked_trials(content)))
    for row in locked_rows(content):
        if learned_by_hash.get(row["trial"]):
            row["learned"] = dict(learned_by_hash[row["trial"]])
    return sealed(content)


def check_unchanged(result: SweepResult, data: Benchmark, versions: Mapping[str, str]) -> Lock:
    """Return the lock of a sweep; raise HarnessError if its files, data, code or libraries have
    changed.

    Args:
        result: the sweep.
        data: its benchmark.
        versions: current versions of the classes of other packages in its trials.
    """
    lock = result.lock
    for name in lock["files"]:
        check_file(result.folder, name, lock["files"])
    origin = data.origin.get("file", data.name)
    if lock["data_sha256"] != data.sha256:
        raise HarnessError(
            f"{result.folder / LOCK}: {origin} has other questions, gold or passages than when the "
            "winner was locked; give the file of then, or sweep again for a new lock"
        )
    for what, locked, now in (
        ("split", lock.get("split_sha256"), data.split_facts.get("split_sha256")),
        ("code", lock["code"], code_version()),
        ("code", lock.get("versions") or {}, versions),
        ("libraries", lock["libraries"], library_versions()),
    ):
        check_same(result.folder, what, locked, now)
    return lock
