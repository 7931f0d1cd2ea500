"""Strategies by benchmarks in one table: best in bold, second underlined, signs of significance."""

from __future__ import annotations

from collections.abc import Sequence

from harness.core.errors import HarnessError
from harness.core.table import Column, Source, Style, Table, percent
from harness.evaluation.metric import average, definitions
from harness.report.display import Display
from harness.report.paper.entry import SIGNS, entries, signs, values_of
from harness.sweep.folder import SweepResult, View


def results_table(
    results: Sequence[SweepResult], display: Display, metrics: Sequence[str] = (), baseline: str | None = None
) -> Table:
    """The locked trials of each sweep, of different benchmarks, on test where they were held out and else on tune.

    metrics: columns of each benchmark; none means the objective, full_sup and recall at its depth.    baseline: a
    single list that rows are tested against; None is the sweeps' reference.
    """
    chosen = list(metrics) or usual_metrics(results[0])
    against = baseline or results[0].locked.reference
    _check(results, chosen, against)
    rows = entries(results)
    cells: list[list[float | None]] = [[] for _ in rows]
    marks: dict[tuple[int, int], str] = {}
    said: dict[str, None] = {}
    columns, grouped = [Column("strategy", "text")], len(results) > 1 or len(chosen) > 1
    for number, result in enumerate(results):
        view = result.locked
        places = {row: entry.places[number] for row, entry in enumerate(rows) if number in entry.places}
        for metric in chosen:
            shares = average(values_of(view, metric))
            for row in range(len(rows)):
                cells[row].append(float(shares[places[row]]) if row in places else None)
            for row, holds in signs(view, metric, places, against, result.lock.get("best_single")).items():
                if holds:
                    marks[row, len(columns)] = "".join(SIGNS[sign] for sign in holds)
                    said.update(dict.fromkeys(holds))
            group = display.dataset.get(view.dataset, view.dataset) + _part(result, results) if grouped else ""
            columns.append(Column(f"n = {view.n}" if len(chosen) == 1 else metric, group=group))
    body = [[entry.label(display), *values] for entry, values in zip(rows, cells, strict=True)]
    best, second = _best(cells)
    rules = frozenset(row for row in range(1, len(rows)) if rows[row].role != rows[row - 1].role)
    style = Style(best, second, marks, rules)
    title = f"{', '.join(chosen)} in percent"
    source, notes = _said(results, chosen, against, display, list(said))
    return Table("results", title, columns, body, source, notes, style=style, grouping="benchmark")


def usual_metrics(result: SweepResult) -> list[str]:
    """The objective, and full_sup and recall at its depth."""
    objective = str(result.manifest["objective"])
    k = objective.partition("@")[2] or "5"
    return list(dict.fromkeys([objective, f"full_sup@{k}", f"recall@{k}"]))


def _check(results: Sequence[SweepResult], metrics: Sequence[str], baseline: str) -> None:
    for result in results:
        if baseline not in (known := result.locked.singles):
            raise HarnessError(f"{result.folder}: baseline={baseline} is no list of it; it has: {', '.join(known)}")
    names = [str(result.manifest["dataset"]) for result in results]
    if len(set(names)) < len(names):
        raise HarnessError(f"a table has one sweep a benchmark, got {', '.join(names)}; choose with sweep=[DIR,DIR]")
    for metric in metrics:
        values_of(results[0].locked, metric)


def _part(result: SweepResult, results: Sequence[SweepResult]) -> str:
    """The split, where sweeps are on different ones."""
    return "" if len({one.locked.split for one in results}) == 1 else f" ({result.locked.split})"


def _best(cells: Sequence[Sequence[float | None]]) -> tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]]:
    """Cells that print as the greatest number of their column, and as the next one."""
    best, second = set(), set()
    for place in range(len(cells[0])):
        shown = {row: float(percent(value)) for row, line in enumerate(cells) if (value := line[place]) is not None}
        order = sorted(set(shown.values()), reverse=True)
        best |= {(row, place + 1) for row, value in shown.items() if value == order[0]}
        second |= {(row, place + 1) for row, value in shown.items() if len(order) > 1 and value == order[1]}
    return frozenset(best), frozenset(second)


def _shared(views: Sequence[View]) -> str:
    """Of which benchmarks the tests are by cluster; nothing where no two queries share gold passages."""
    names = dict.fromkeys(view.dataset for view in views if view.deciding)
    return f" (by cluster where queries share gold passages: {', '.join(names)})" if names else ""


def _said(
    results: Sequence[SweepResult], metrics: Sequence[str], baseline: str, display: Display, said: Sequence[str]
) -> tuple[Source, list[str]]:
    views = [result.locked for result in results]
    split = " and ".join(dict.fromkeys(view.split for view in views))
    names = [f"{display.dataset.get(view.dataset, view.dataset)} n = {view.n}" for view in views]
    meant = dict.fromkeys(metric.partition("@")[0] for metric in metrics)
    defined = definitions(meant)
    against = {"the baseline": display.list.get(baseline, baseline), "the best list": "the best single list on tune"}
    tests = ", ".join(
        f"{SIGNS[sign]} {sign.partition(' than ')[0]} than {against[sign.partition(' than ')[2]]}" for sign in said
    )
    lists = dict.fromkeys(str(result.lock.get("best_single")) for result in results)
    winners = "; ".join(
        f"{display.dataset.get(view.dataset, view.dataset)}: {display.trial(view.rows[view.best_place])}"
        f"{'; no fusion is better' if view.winner_list else ''}"
        for view in views
    )
    looks = "; ".join(f"{view.dataset}, evaluation {view.evaluation}" for view in views if view.evaluation)
    data = "; ".join(
        f"{result.folder.name}, data {view.data_sha256[:12]}" for result, view in zip(results, views, strict=True)
    )
    systems = list(dict.fromkeys(view.systems for view in views))
    made = systems[0] if len(systems) == 1 else ""
    each = "; ".join(f"{display.dataset.get(view.dataset, view.dataset)}: {view.systems}" for view in views)
    judged = (
        f"Exact McNemar tests (sign tests of a metric that is not 0/1){_shared(views)}, p at most .05 after Holm's "
        f"correction over the rows of a column: {tests}."
    )
    notes = [
        "Best in bold, second underlined.",
        f"{defined}.",
        "Each fuser's trial was chosen on tune; default: with its default knobs.",
        judged if tests else f"No difference is significant{_shared(views)}.",
        f"Best single list on tune: {', '.join(display.list.get(name, name) for name in lists)}.",
        f"Locked winners: {winners}.",
        f"{looks}." if looks else "",
        "" if made else f"Lists of {each}.",
        f"Sweeps: {data}.",
    ]
    extent = f"{', '.join(names)}, {split} split"
    return Source("; ".join(filter(None, [extent, made]))), list(filter(None, notes))
