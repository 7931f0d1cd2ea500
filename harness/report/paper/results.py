"""Strategies by benchmarks in one table: best in bold, second underlined, signs of significance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.core.errors import HarnessError
from harness.core.table import Column, Source, Style, Table, percent
from harness.evaluation.metric import Metric, average, definitions
from harness.report.display import Display
from harness.report.paper.entry import SIGNS, Entry, entries, signs
from harness.sweep.folder import SweepResult, View


def results_table(
    results: Sequence[SweepResult],
    display: Display,
    metrics: Sequence[str] = (),
    baseline: str | None = None,
) -> Table:
    """The locked trials of each sweep, of different benchmarks, on test where they were held out
    and else on tune.

    metrics: columns of each benchmark; none means the objective, full_sup and recall at its depth.
    baseline: a single list that rows are tested against; None is the sweeps' reference.
    """
    chosen = list(metrics) or results[0].whole.usual_metrics
    against = baseline or results[0].locked.reference
    _check(results, chosen, against)
    rows = entries(results)
    shares = [
        _shares(rows, number, result, metric, against)
        for number, result in enumerate(results)
        for metric in chosen
    ]
    columns = [one.column(display, results, len(chosen) == 1) for one in shares]
    body = [
        [entry.label(display), *(one.values.get(row) for one in shares)]
        for row, entry in enumerate(rows)
    ]
    return Table(
        "results",
        f"{', '.join(chosen)} in percent",
        [Column("strategy", "text"), *columns],
        body,
        _source(results, display),
        _notes(results, chosen, against, display, shares),
        style=_style(rows, shares),
        grouping="benchmark",
    )


@dataclass(frozen=True)
class Shares:
    """A column: one metric of one sweep. values: by row, where the sweep has it.    signs: by row,
    which ones hold.
    """

    result: SweepResult
    metric: str
    values: Mapping[int, float]
    signs: Mapping[int, Sequence[str]]

    def column(self, display: Display, results: Sequence[SweepResult], one_metric: bool) -> Column:
        """Its head, and above it the benchmark, with the split where sweeps are on
        different ones.
        """
        view, splits = self.result.locked, {one.locked.split for one in results}
        if one_metric and len(results) == 1:
            return Column(f"n = {view.n}")
        group = _name(view, display) + (f" ({view.split})" if len(splits) > 1 else "")
        return Column(f"n = {view.n}" if one_metric else self.metric, group=group)


def _shares(
    rows: Sequence[Entry], number: int, result: SweepResult, metric: str, against: str
) -> Shares:
    view = result.locked
    places = {row: entry.places[number] for row, entry in enumerate(rows) if number in entry.places}
    measure = Metric.parse(metric)
    values = {row: float(average(view.values(place, measure))) for row, place in places.items()}
    return Shares(result, metric, values, signs(view, metric, places, against))


def _style(rows: Sequence[Entry], shares: Sequence[Shares]) -> Style:
    """Bold what prints as the greatest number of a column, underlined the next; a rule above each
    role.
    """
    best, second = set(), set()
    marks: dict[tuple[int, int], str] = {}
    for place, one in enumerate(shares, 1):
        shown = {row: float(percent(value)) for row, value in one.values.items()}
        order = [*sorted(set(shown.values()), reverse=True), None, None]
        best |= {(row, place) for row, value in shown.items() if value == order[0]}
        second |= {(row, place) for row, value in shown.items() if value == order[1]}
        marks |= {
            (row, place): "".join(SIGNS[sign] for sign in holds)
            for row, holds in one.signs.items()
            if holds
        }
    rules = (row for row in range(1, len(rows)) if rows[row].role != rows[row - 1].role)
    return Style(frozenset(best), frozenset(second), marks, frozenset(rules))


def _check(results: Sequence[SweepResult], metrics: Sequence[str], baseline: str) -> None:
    for result in results:
        if baseline not in (known := result.locked.singles):
            raise HarnessError(
                f"{result.folder}: baseline={baseline} is no list of it; it has: {', '.join(known)}"
            )
    names = [str(result.manifest["dataset"]) for result in results]
    if len(set(names)) < len(names):
        raise HarnessError(
            f"a table has one sweep a benchmark, got {', '.join(names)}; choose with "
            "sweep=[DIR,DIR]"
        )
    for metric in metrics:
        results[0].locked.values(0, Metric.parse(metric))


def _shared(views: Sequence[View]) -> str:
    """Of which benchmarks the tests are by cluster; nothing where no two queries share gold
    passages.
    """
    names = dict.fromkeys(view.dataset for view in views if view.deciding)
    return f" (by cluster where questions share gold passages: {', '.join(names)})" if names else ""


def _source(results: Sequence[SweepResult], display: Display) -> Source:
    """Benchmarks, split, and the systems where all tables have the same."""
    views = [result.locked for result in results]
    names = [f"{_name(view, display)} n = {view.n}" for view in views]
    split = " and ".join(dict.fromkeys(view.split for view in views))
    systems = {view.systems for view in views}
    extent = f"{', '.join(names)}, {split} split"
    return Source("; ".join([extent, *filter(None, systems)]) if len(systems) == 1 else extent)


def _notes(
    results: Sequence[SweepResult],
    metrics: Sequence[str],
    baseline: str,
    display: Display,
    shares: Sequence[Shares],
) -> list[str]:
    views = [result.locked for result in results]
    lists = dict.fromkeys(str(view.best_single) for view in views)
    looks = "; ".join(
        f"{view.dataset}, evaluation {view.evaluation}" for view in views if view.evaluation
    )
    data = "; ".join(
        f"{result.folder.name}, data {result.locked.data_sha256[:12]}" for result in results
    )
    notes = [
        "Best in bold, second underlined.",
        f"{definitions(dict.fromkeys(metric.partition('@')[0] for metric in metrics))}.",
        "Each fuser's trial was chosen on tune; default: with its default knobs.",
        _tests(views, shares, display.list.get(baseline, baseline)),
        f"Best single list on tune: {', '.join(display.list.get(name, name) for name in lists)}.",
        f"Locked winners: {'; '.join(_winner(view, display) for view in views)}.",
        f"{looks}." if looks else "",
        _different_systems(views, display),
        f"Sweeps: {data}.",
    ]
    return list(filter(None, notes))


def _name(view: View, display: Display) -> str:
    return display.dataset.get(view.dataset, view.dataset)


def _different_systems(views: Sequence[View], display: Display) -> str:
    """Whose lists they are, where benchmarks differ in that."""
    of_each = "; ".join(f"{_name(view, display)}: {view.systems}" for view in views)
    return f"Lists of {of_each}." if len({view.systems for view in views}) > 1 else ""


def _winner(view: View, display: Display) -> str:
    no_fusion = "; no fusion is better" if view.winner_list else ""
    return f"{_name(view, display)}: {display.trial(view.rows[view.best_place])}{no_fusion}"


def _tests(views: Sequence[View], shares: Sequence[Shares], baseline: str) -> str:
    """What the signs of the table say, in the order in which they appear."""
    against = {"the baseline": baseline, "the best list": "the best single list on tune"}
    held = dict.fromkeys(sign for one in shares for holds in one.signs.values() for sign in holds)
    if not held:
        return f"No difference is significant{_shared(views)}."
    parts = [(SIGNS[sign], *sign.split(" than ")) for sign in held]
    said = ", ".join(f"{sign} {word} than {against[other]}" for sign, word, other in parts)
    return (
        f"Exact McNemar tests (sign tests of a metric that is not 0/1){_shared(views)}, p at "
        "most .05 after Holm's "
        f"correction over the rows of a column: {said}."
    )
