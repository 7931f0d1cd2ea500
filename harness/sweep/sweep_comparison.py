"""Finished sweeps side by side: a table of their settings, and how far the results of two agree.

Questions are matched by id, trials by their parameters, so that sweeps by other code, or of other
data, can be compared, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd

from harness.core.arrays import Float64Array, Int64Array
from harness.core.artifact import Facts
from harness.core.configuration.overrides import Override, parse
from harness.core.table import Column, Field, Table, counted, percent, shown_lines
from harness.evaluation.column import judged
from harness.evaluation.family import Family
from harness.evaluation.paired_comparison import Comparison
from harness.evaluation.statement import WORDS
from harness.sweep.folder.lock import locked_winner
from harness.sweep.folder.result import SweepResult, differing
from harness.sweep.folder.view import View
from harness.sweep.judge.table_rows import matches
from harness.sweep.recomputation import differences

Answer = Literal["same bits", "same verdict", "another verdict", "not comparable"]
STATUS: Mapping[Answer, int] = {
    "same bits": 0,
    "same verdict": 1,
    "another verdict": 2,
    "not comparable": 2,
}
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
    compared: dict[int, Comparison] = {}
    for at, view in enumerate(views[1:], start=1):
        order = _match_questions(first, view)
        if order is not None:
            compared[at] = Comparison.of(
                values[at][order],
                values[0],
                metric.binary,
                first.margin,
                first.clusters,
                higher_is_better=metric.higher_is_better,
            )
    evaluation = max(view.evaluation for view in views)
    return dict(zip(compared, Family.of([*compared.values()], evaluation), strict=True))


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
        override.key: parse(override.key, override.value)
        for override in typed
        if override.key in knobs and override.value is not None
    }
    matching = (place for place in whole.fused if matches(whole.rows[place].parameters, wanted))
    place = view.place(whole.rows[next(matching, whole.winner_place)].trial)
    return view.winner_place if place is None else place


@dataclass(frozen=True)
class SweepComparison:
    """Finished sweeps side by side, and how far each one agrees with the first.

    Attributes:
        table: a row for each sweep (see ``settings_table``).
        agreements: of each sweep but the first, in order.
    """

    table: Table
    agreements: list[Agreement]

    @classmethod
    def of(cls, results: Sequence[SweepResult]) -> SweepComparison:
        """Compare sweeps; the first one is the reference. Raise HarnessError for a damaged file."""
        for result in results:
            result.check()
        first, *others = results
        return cls(settings_table(results), [Agreement.of(other, first) for other in others])

    @property
    def lines(self) -> list[str]:
        """The lines that are printed; the last one is the answer about the last sweep."""
        lines = shown_lines(self.table)
        for agreement in self.agreements:
            lines += agreement.lines
        return lines


@dataclass(frozen=True)
class Agreement:
    """How far two sweeps agree.

    Attributes:
        answer: ``same verdict``: the same trial won, and on each split its findings against the
            same lists are the same. ``same bits``: in addition, all trials and questions are in
            both sweeps, with equal gold ranks, metrics and forecast. ``not comparable``: they have
            other questions, or no trial in common.
        lines: the two sweeps, then what differs, on tune with all trials and, if both were held
            out, on test with the locked ones; the answer comes last.
    """

    answer: Answer
    lines: list[str]

    @classmethod
    def of(cls, mine: SweepResult, theirs: SweepResult) -> Agreement:
        """Compare two sweeps."""
        input_lines, cause = _inputs(mine, theirs)
        names = [f"here       {mine.folder.name}", f"there      {theirs.folder.name}"]
        lines, results = [*names, *input_lines], (mine, theirs)
        pairs = zip(mine.every_question, theirs.every_question, strict=False)  # test, if both have
        try:
            splits = [_OnSplit.of(view, other) for view, other in pairs]
        except ValueError as error:
            return cls("not comparable", [*lines, f"not comparable: they {error} ({cause})"])
        for split in splits:
            lines += [*split.lines, _both("verdict", *split.verdicts)]
        forecasts = [_forecast(result.lock) for result in results]
        lines.append(_both("winner", *(locked_winner(result.lock) for result in results)))
        lines.append(_both("forecast", *forecasts))
        winners = [result.lock["winner"]["parameters"] for result in results]
        if winners[0] != winners[1] or any(len({*split.verdicts}) > 1 for split in splits):
            return cls("another verdict", [*lines, f"another verdict ({cause})"])
        if all(split.exact for split in splits) and len({*forecasts}) == 1:
            return cls("same bits", [*lines, "same bits"])
        within = f"scores within {100 * max(split.apart for split in splits):.2g} points"
        return cls("same verdict", [*lines, f"same verdict, {within} ({cause})"])


def _inputs(mine: SweepResult, theirs: SweepResult) -> tuple[list[str], str]:
    """Return lines on which inputs differ, and the first difference that the manifests name."""
    facts = [_facts(result) for result in (mine, theirs)]
    causes = {kind: _differences(kind, *facts) for kind in CAUSES}
    lines = [f"{kind:<10} {'; '.join(changes) or 'the same'}" for kind, changes in causes.items()]
    named = (f"other {kind}: {changes[0]}" for kind, changes in causes.items() if changes)
    cause = next(named, "no input that the manifests name differs")
    return [*lines, *_lists(mine, theirs)], cause


@dataclass(frozen=True)
class _OnSplit:
    """How far two sweeps agree on a split, with all its questions.

    Attributes:
        lines: what differs.
        exact: whether all trials are in both with equal ranks and metrics.
        apart: the largest difference of a metric.
        verdicts: the finding of each sweep's winner.
    """

    lines: list[str]
    exact: bool
    apart: float
    verdicts: tuple[str, str]

    @classmethod
    def of(cls, view: View, other: View) -> _OnSplit:
        """Compare the trials that two sweeps have.

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
        return cls(lines, exact, float(apart.max()), (_verdict(view), _verdict(other)))


def _scores(view: View) -> pd.DataFrame:
    """Return the metrics of the trials, a row for each by its parameters."""
    keys = [json.dumps(row.parameters, sort_keys=True) for row in view.rows]
    return pd.DataFrame([row.scores for row in view.rows], keys)


def _differences(kind: str, ours: Facts, theirs: Facts) -> list[str]:
    """Return up to three differences of some facts, ``path: ours here, theirs there``."""
    shared = [key for key in CAUSES[kind] if key in ours and key in theirs]
    here, there = {key: ours[key] for key in shared}, {key: theirs[key] for key in shared}
    pairs = differences(here, there)
    return [f"{path}: {our} here, {their} there" for path, our, their in pairs][:NAMED]


def _facts(result: SweepResult) -> Facts:
    """Return the manifest, with the libraries and the devices of each list under two keys."""
    makers = (result.manifest.get("made_by") or {}).items()
    libraries = {name: maker.get("libraries") for name, maker in makers}
    devices = {name: maker.get("devices") for name, maker in makers}
    return {**result.manifest, "made_by": libraries, "devices": devices}


def _lists(mine: SweepResult, theirs: SweepResult) -> Iterator[str]:
    """Yield a line for each list with as many scores in both sweeps, of which some differ."""
    for name in mine.scores.keys() & theirs.scores.keys():
        here, there = mine.scores[name].scores, theirs.scores[name].scores
        if len(here) == len(there) and (here != there).any():
            yield f"list       {name}: scores differ by up to {np.abs(here - there).max():.1g}"


def _verdict(view: View) -> str:
    """Return the finding of the winner against the reference and the best single list."""
    parts = []
    for name in filter(None, dict.fromkeys([view.reference, view.best_single])):
        compared = view.winner_against(name)
        parts.append(f"{WORDS[compared.finding] if compared else 'the same as'} {name}")
    return ", ".join(parts)


def _forecast(lock: Mapping[str, Any]) -> str:
    forecast = lock.get("expected")
    return f"{percent(forecast['low'])} to {percent(forecast['high'])}%" if forecast else "none"


def _both(word: str, ours: str, theirs: str) -> str:
    text = f"the same: {ours}" if ours == theirs else f"{ours} here, {theirs} there"
    return f"{word:<10} {text}"
