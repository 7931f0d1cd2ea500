"""Finished sweeps side by side: a table of their settings, and how far the results of two agree.

Questions are matched by id, trials by their parameters, so that sweeps by other code, or of other
data, can be compared, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd

from harness.core.arrays import Float64Array, Int64Array
from harness.core.artifact import Facts
from harness.core.configuration.overrides import Override, parse
from harness.core.errors import HarnessError
from harness.core.table import Column, Field, Table, counted, percent
from harness.evaluation.column import judged
from harness.evaluation.family import Family
from harness.evaluation.paired_comparison import Comparison
from harness.evaluation.statement import WORDS
from harness.sweep.folder.lock import locked_winner
from harness.sweep.folder.result import SweepResult, differing
from harness.sweep.folder.view import View
from harness.sweep.judge.table_rows import matches
from harness.sweep.recomputation import differences

Answer = Literal["same bits", "same verdict", "another verdict"]
STATUS: Mapping[Answer, int] = {"same bits": 0, "same verdict": 1, "another verdict": 2}
"""The exit status of each answer."""
CAUSES = {
    "data": ("dataset", "data_sha256"),
    "split": ("splitting", "split_sha256"),
    "lists": ("lists", "versions", "reads"),
    "libraries": ("libraries", "made_by"),
    "device": ("devices", "machine"),
    "code": ("code",),
}
"""The causes of results, by their keys in the manifest; the most likely comes first."""
NAMED = 3
"""The largest number of differences of one kind that are named."""


def settings_table(results: Sequence[SweepResult]) -> Table:
    """Return the best trial of each sweep, by the objective of the first.

    Args:
        results: the sweeps, the reference first.

    Returns:
        A row for each sweep: the settings that differ, its score, the best single list of tune with
        its score, and the difference from the first row on the same questions; a dash if they have
        other questions. All rows are on test if all sweeps were held out, otherwise on tune.
    """
    held_out = all(result.test for result in results)
    views = [result.locked if held_out else result.whole for result in results]
    places = [shown_place(result, view) for result, view in zip(results, views, strict=True)]
    first, metric = views[0], views[0].metric
    values = [view.values(place, metric) for view, place in zip(views, places, strict=True)]
    compared = _with_first(views, values)
    names = [
        view.winner_title if place == view.winner_place else view.named(place)
        for view, place in zip(views, places, strict=True)
    ]

    def best_score(at: int) -> float | None:
        place = views[at].singles.get(str(views[at].best_single))
        return None if place is None else float(np.nanmean(views[at].values(place, metric)))

    settings = [
        Field(Column(key, "text"), partial(_setting, results, key)) for key in differing(results)[0]
    ]
    fields: list[Field[int]] = [
        *settings,
        Field(Column("n", "count"), lambda at: views[at].n, len({view.n for view in views}) > 1),
        Field(Column("trial", "text"), names.__getitem__),
        Field(Column(f"{metric} %"), lambda at: float(np.nanmean(values[at]))),
        Field(Column("best list", "text"), lambda at: views[at].best_single),
        Field(Column(f"best list's {metric} %"), best_score),
        *judged(compared.get, "difference", "95% of difference", "W", "L", "Holm p"),
    ]
    notes = [
        "Difference from the first row, in points; W, L: questions won and lost against it; "
        f"Holm p{first.deciding}: over {counted(len(compared), 'comparison')}."
    ]
    halves = " and ".join(dict.fromkeys(view.half for view in views))
    title = f"{counted(len(results), 'setting')} on {halves}"
    return Table.of("settings", title, fields, range(len(views)), notes=notes)


def _match_questions(view: View, other: View) -> Int64Array | None:
    """Return the places int64[Q] of a view's questions in another one; None if it has others."""
    order = pd.Index(other.queries["id"]).get_indexer(pd.Index(view.queries["id"]))
    same = len(order) == len(other.queries) and (order >= 0).all()
    return order.astype(np.int64) if same else None


def _with_first(views: Sequence[View], values: Sequence[Float64Array]) -> dict[int, Comparison]:
    """Compare each view of the first one's questions with it, as one family.

    Args:
        views: the first one is the reference.
        values: float64[Q] of each view's shown trial, by the first one's objective.
    """
    first, metric = views[0], views[0].metric
    pairs = {
        at: Comparison.of(
            values[at][order],
            values[0],
            metric.binary,
            first.margin,
            first.clusters,
            higher_is_better=metric.higher_is_better,
        )
        for at, view in enumerate(views)
        if at and (order := _match_questions(first, view)) is not None
    }
    evaluation = max(view.evaluation for view in views)
    return dict(zip(pairs, Family.of([*pairs.values()], evaluation), strict=True))


def _setting(results: Sequence[SweepResult], key: str, at: int) -> str:
    """Return the typed value of a key in a sweep, or its default."""
    if key in results[at].given:
        return results[at].given[key]
    node: object = results[at].config
    for part in key.split("."):
        node = node.get(part) if isinstance(node, Mapping) else None
    if isinstance(node, Mapping):
        node = str(node.get("strategy", "")).rpartition("/")[2] or None
    return "default" if node is None else str(node)


def shown_place(result: SweepResult, view: View) -> int:
    """Return the index of the row that stands for a sweep: the best fusion with the typed knobs, or
    the winner if no trial of the view has them.
    """
    whole = result.whole
    knobs = {name for row in whole.rows for name in row.parameters}
    typed = map(Override.read, result.config.get("given", ()))
    wanted = {
        one.key: parse(one.key, one.value)
        for one in typed
        if one.key in knobs and one.value is not None
    }
    found = (place for place in whole.fused if matches(whole.rows[place].parameters, wanted))
    place = view.place(whole.rows[next(found, whole.winner_place)].trial)
    return view.winner_place if place is None else place


@dataclass(frozen=True)
class Agreement:
    """How far two sweeps agree.

    Attributes:
        answer: ``same verdict``: the same trial won, and on each split its findings against the
            same lists are the same. ``same bits``: in addition, all trials and questions are in
            both sweeps, with equal gold ranks, metrics and forecast.
        lines: what differs, on tune with all trials and, if both were held out, on test with the
            locked ones; the answer comes last.
    """

    answer: Answer
    lines: list[str]

    @classmethod
    def of(cls, mine: SweepResult, theirs: SweepResult) -> Agreement:
        """Compare two sweeps; raise HarnessError if they have other questions or trials."""
        lines, cause = _inputs(mine, theirs)
        splits = ["tune", "test"] if mine.test and theirs.test else ["tune"]
        on_splits = [_on_split(mine, theirs, split, cause) for split in splits]
        for one in on_splits:
            lines += [*one.lines, _both("verdict", *one.verdicts)]
        lines.append(_both("winner", locked_winner(mine.lock), locked_winner(theirs.lock)))
        lines.append(_both("forecast", _forecast(mine.lock), _forecast(theirs.lock)))
        apart = 100 * max(one.apart for one in on_splits)
        further: dict[Answer, str] = {
            "same bits": "",
            "same verdict": f", scores within {apart:.2g} points ({cause})",
            "another verdict": f" ({cause})",
        }
        answer = _answer(mine, theirs, on_splits)
        return cls(answer, [*lines, f"{answer}{further[answer]}"])


@dataclass(frozen=True)
class _OnSplit:
    """How far two sweeps agree on a split: what differs, whether all is equal, the largest
    difference of a metric, and both verdicts.
    """

    lines: list[str]
    exact: bool
    apart: float
    verdicts: tuple[str, str]


def _on_split(mine: SweepResult, theirs: SweepResult, split: str, cause: str) -> _OnSplit:
    """Compare two sweeps on a split; raise HarnessError if they have other questions or trials."""
    view, other = _view(mine, split), _view(theirs, split)
    try:
        lines, exact, apart = _compare(view, other)
    except ValueError as error:
        raise HarnessError(
            f"{theirs.folder} and {mine.folder} {error} ({cause}); give two sweeps of the "
            "same experiment"
        ) from error
    return _OnSplit(lines, exact, apart, (_verdict(view), _verdict(other)))


def _answer(mine: SweepResult, theirs: SweepResult, on_splits: Sequence[_OnSplit]) -> Answer:
    """Return how far two sweeps agree, as the attribute ``answer`` of ``Agreement`` says."""
    if mine.lock["winner"]["parameters"] != theirs.lock["winner"]["parameters"]:
        return "another verdict"
    if any(ours != others for ours, others in (one.verdicts for one in on_splits)):
        return "another verdict"
    forecasts = _forecast(mine.lock), _forecast(theirs.lock)
    exact = all(one.exact for one in on_splits) and forecasts[0] == forecasts[1]
    return "same bits" if exact else "same verdict"


def _inputs(mine: SweepResult, theirs: SweepResult) -> tuple[list[str], str]:
    """Return lines on which inputs differ, and the first difference that the manifests name."""
    facts = [_facts(result) for result in (mine, theirs)]
    causes = {kind: _differences(kind, *facts) for kind in CAUSES}
    lines = [f"{kind:<10} {'; '.join(own) or 'the same'}" for kind, own in causes.items()]
    named = (f"other {kind}: {own[0]}" for kind, own in causes.items() if own)
    cause = next(named, "no input that the manifests name differs")
    return [*lines, *_lists(mine, theirs)], cause


def _view(result: SweepResult, split: str) -> View:
    """Return all trials of a split with all questions, also those that the objective leaves out."""
    if split == "tune":
        return replace(result.whole, ranks=result.ranks, queries=result.queries)
    return replace(result.locked, ranks=result.heldout_ranks, queries=result.heldout_queries)


def _compare(view: View, other: View) -> tuple[list[str], bool, float]:
    """Compare the trials of a split that two sweeps have.

    Returns:
        Lines on what differs, whether all trials are in both with equal ranks and metrics, and the
        largest difference of a metric.

    Raises:
        ValueError: they have other questions or no trial in common.
    """
    order = _match_questions(view, other)
    if order is None:
        raise ValueError(f"have other {view.split} questions")
    here, there = _scores(view), _scores(other)
    both = here.index.intersection(there.index, sort=False)
    if both.empty:
        raise ValueError("have no trial in common")
    apart = (here.loc[both] - there.loc[both]).abs().max().fillna(0)
    hops = min(view.ranks.shape[2], other.ranks.shape[2])
    ranks = view.ranks[here.index.get_indexer(both), :, :hops]
    others = other.ranks[there.index.get_indexer(both)][:, order, :hops]
    gold = (ranks >= 0) | (others >= 0)
    shares = ((ranks == others) & gold).sum((1, 2)) / gold.sum((1, 2))
    far = [f"{name} {100 * value:.2g}" for name, value in apart.items() if value]
    lines = [
        f"{view.split:<10} {view.n} questions; trials in both: {len(both)} of {len(here)} here "
        f"and {len(there)} there",
        f"ranks      equal in {(shares == 1).sum()} of {len(both)} trials; at least "
        f"{100 * shares.min():.4g}% of gold ranks are equal",
        f"metrics    greatest differences, in points: {', '.join(far) or 'none'}",
    ]
    whole = len(both) == len(here) and view.ranks.shape == other.ranks.shape
    exact = whole and bool((np.diff(order) > 0).all()) and shares.min() == 1 and not far
    return lines, exact, float(apart.max())


def _scores(view: View) -> pd.DataFrame:
    """Return the metrics of the trials, a row for each by its parameters."""
    keys = [json.dumps(row.parameters, sort_keys=True) for row in view.rows]
    return pd.DataFrame([row.scores for row in view.rows], keys)


def _differences(kind: str, ours: Facts, theirs: Facts) -> list[str]:
    """Return up to three differences of some facts, ``path: ours here, theirs there``."""
    known = [key for key in CAUSES[kind] if key in ours and key in theirs]
    before, after = ({key: one[key] for key in known} for one in (ours, theirs))
    pairs = differences(before, after)
    return [f"{path}: {one} here, {other} there" for path, one, other in pairs][:NAMED]


def _facts(result: SweepResult) -> Facts:
    """Return the manifest, with the libraries and the devices of each list under two keys."""
    made = (result.manifest.get("made_by") or {}).items()
    kinds = {"made_by": "libraries", "devices": "devices"}
    parts = {key: {name: one.get(kind) for name, one in made} for key, kind in kinds.items()}
    return {**result.manifest, **parts}


def _lists(mine: SweepResult, theirs: SweepResult) -> Iterator[str]:
    """Yield a line for each list with as many scores in both sweeps, of which some differ."""
    for name in mine.scores.keys() & theirs.scores.keys():
        one, other = mine.scores[name].scores, theirs.scores[name].scores
        if len(one) == len(other) and (one != other).any():
            yield f"list       {name}: scores differ by up to {np.abs(one - other).max():.1g}"


def _verdict(view: View) -> str:
    """Return the finding of the winner against the reference and the best single list."""
    parts = []
    for name in filter(None, dict.fromkeys([view.reference, view.best_single])):
        compared = view.winner_against(name)
        parts.append(f"{WORDS[compared.finding] if compared else 'the same as'} {name}")
    return ", ".join(parts)


def _forecast(lock: Mapping[str, Any]) -> str:
    found = lock.get("expected")
    return f"{percent(found['low'])} to {percent(found['high'])}%" if found else "none"


def _both(word: str, ours: str, theirs: str) -> str:
    text = f"the same: {ours}" if ours == theirs else f"{ours} here, {theirs} there"
    return f"{word:<10} {text}"
