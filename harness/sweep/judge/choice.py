"""The choice on tune, and the lock that records it before test is touched."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.benchmark import Benchmark
from harness.core.arrays import Int32Array
from harness.core.errors import HarnessError, nearest
from harness.core.identity import code_version, library_versions, sealed
from harness.evaluation.metric import Metric, means
from harness.sweep.folder.baselines import Baselines
from harness.sweep.folder.judged_trial import JudgedTrial
from harness.sweep.folder.lock import LOCK, Lock, check_file, check_same, locked_rows, locked_trials
from harness.sweep.folder.result import SweepResult
from harness.sweep.folder.rows import Settings

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

    keys, values = list(trials), metric(ranks)
    scores, names = metric.gain(means(ranks, [metric])[:, 0]), trial_names(trials)
    lists = {
        str(trial.settings["fuser.list"]): key
        for key, trial in trials.items()
        if trial.family == "single" and trial.pool.effective_cap is None
    }
    losses = np.zeros(len(keys), dtype=np.int64)
    if reference in lists:
        base = values[keys.index(lists[reference])]
        losses = (metric.gain(values) < metric.gain(base)).sum(axis=1)

    def rule(place: int) -> tuple[Any, ...]:
        key = keys[place]
        trial = trials[key]
        return (
            not is_practical(trial, impractical),
            -float(scores[place]),
            int(losses[place]),
            *tiebreak(trial.settings, names[key], key),
        )

    order = [keys[place] for place in sorted(range(len(keys)), key=rule)]
    owners = {key: name for name, key in lists.items() if name not in impractical}
    best = next((owners[key] for key in order if key in owners), None)
    fused = [key for key in order if trials[key].family != "single"]
    return Chosen(names, Baselines(lists, reference, best), (fused or order)[0], order)


def is_practical(trial: Trial, impractical: Collection[str]) -> bool:
    """Return whether none of a trial's lists uses the gold."""
    return not {*trial.pool.lists} & {*impractical}


def tiebreak(knobs: Mapping[str, Any], name: str, trial: str) -> tuple[float, str, str]:
    """Return the key for trials with equal objective and losses: alpha's distance
    to .5, then name.
    """
    alpha = knobs.get("fuser.alpha")
    return round(abs((0.5 if alpha is None else alpha) - 0.5), 12), name, trial


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
    fused = [row for row in rows if not row.is_single]
    content: Any = {
        **facts,
        "code": code_version(),
        "libraries": library_versions(),
        "winner": next(dict(row.record) for row in rows if row.trial == chosen.winner),
        "fusers": [dict(row.record) for row in best_of_fusers(rows)],
        "named": [dict(rows[place].record) for place in named],
        "baselines": [
            dict(row.record) for row in [*single, *(row for row in fused if row.untuned)]
        ],
        "lists": dict(chosen.baselines.lists),
        "best_single": chosen.baselines.best,
    }
    known = learned(list(locked_trials(content)))
    for row in locked_rows(content):
        if known.get(row["trial"]):
            row["learned"] = dict(known[row["trial"]])
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


Spec = Mapping[str, Any]
"""A row, a table, a figure or an experiment as in conf/experiment; each kind has its own keys."""


@contextlib.contextmanager
def described_errors(part: str) -> Iterator[None]:
    """Report a missing or malformed part of an experiment's description in one line; part: its
    place.
    """
    try:
        yield
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        found = (
            f"{error} is missing"
            if isinstance(error, KeyError)
            else f"{type(error).__name__}: {error}"
        )
        raise HarnessError(
            f"{part}: {found[:200]}; expected the form of conf/experiment/*.yaml (see "
            "harness.report.experiment): mend "
            "the experiment's file and sweep again"
        ) from error


def matches(knobs: Settings, where: Mapping[str, object]) -> bool:
    """Return whether a trial's knobs are those of ``where``: a value, or a list of allowed ones.

    A missing knob is null.
    """
    for knob, wanted in where.items():
        allowed: list[object] = [wanted]
        if isinstance(wanted, (list, tuple)):
            allowed = [*wanted, [*wanted]]
        if knobs.get(knob) not in allowed:
            return False
    return True


def find_trials(described: Sequence[Spec], trials: Sequence[Settings]) -> list[int | None]:
    """Return for each described row the index of its trial among ``trials``, or None.

    A row is ``{label, where, as, same}``: its trial is the first that matches ``where`` and, with
    ``as``, has the same value as that row's trial in every knob of ``same``.

    Args:
        described: the rows.
        trials: knobs in the order of a leaderboard.
    """
    places: dict[str, int | None] = {}
    for row in described:
        where = row["where"] | _same_knobs(row, places, trials)
        matching = (place for place, knobs in enumerate(trials) if matches(knobs, where))
        places[row["label"]] = next(matching, None)
    return list(places.values())


def _same_knobs(
    row: Spec, places: Mapping[str, int | None], trials: Sequence[Settings]
) -> dict[str, object]:
    """Return the knobs that a described row has as another row's trial has them."""
    if "as" not in row:
        return {}
    if row["as"] not in places:
        raise ValueError(
            f"row {row['label']!r} is as {row['as']!r}{nearest(row['as'], places)}, which is no "
            "row above it"
        )
    place = places[row["as"]]
    return {} if place is None else {knob: trials[place].get(knob) for knob in row["same"]}


def find_named(experiment: Spec | None, trials: Sequence[Settings]) -> list[int]:
    """Return the indices of all trials in the experiment's tables, which are locked with the
    winner.
    """
    with described_errors("experiment.tables"):
        tables = (experiment or {}).get("tables") or []
        described = [
            part["rows"]
            for table in tables
            for part in table.get("parts", [table])
            if "rows" in part
        ]
        found = [place for rows in described for place in find_trials(rows, trials)]
    return list(dict.fromkeys(place for place in found if place is not None))
