"""A table of sweeps that differ in some settings, compared with the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from harness.core.arrays import Float64Array
from harness.core.configuration.overrides import Override, parse
from harness.core.table import Column, Field, Table, counted
from harness.evaluation.column import judged
from harness.evaluation.family import Family
from harness.evaluation.paired_comparison import Comparison
from harness.sweep.folder.result import SweepResult, differing
from harness.sweep.folder.view import View
from harness.sweep.judge.table_rows import matches


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
    best = [view.singles.get(str(view.best_single)) for view in views]
    several = len({view.n for view in views}) > 1
    fields: list[Field[int]] = [
        *(
            Field(Column(key, "text"), partial(_setting, results, key))
            for key in differing(results)[0]
        ),
        Field(Column("n", "count"), lambda at: views[at].n, several),
        Field(Column("trial", "text"), names.__getitem__),
        Field(Column(f"{metric} %"), lambda at: float(np.nanmean(values[at]))),
        Field(Column("best list", "text"), lambda at: views[at].best_single),
        Field(
            Column(f"best list's {metric} %"),
            lambda at: (
                None
                if (place := best[at]) is None
                else float(np.nanmean(views[at].values(place, metric)))
            ),
        ),
        *judged(compared.get, "difference", "95% of difference", "W", "L", "Holm p"),
    ]
    notes = [
        "Difference from the first row, in points; W, L: questions won and lost against it; "
        f"Holm p{first.deciding}: over {counted(len(compared), 'comparison')}."
    ]
    halves = " and ".join(dict.fromkeys(view.half for view in views))
    title = f"{counted(len(results), 'setting')} on {halves}"
    return Table.of("settings", title, fields, range(len(views)), notes=notes)


def _with_first(views: Sequence[View], values: Sequence[Float64Array]) -> dict[int, Comparison]:
    """Compare each view of the first one's questions with it, as one family.

    Args:
        views: the first one is the reference.
        values: float64[Q] of each view's shown trial, by the first one's objective.
    """
    first, metric = views[0], views[0].metric
    asked = [*first.queries["id"]]
    pairs = {
        at: Comparison.of(
            values[at],
            values[0],
            metric.binary,
            first.margin,
            first.clusters,
            higher_is_better=metric.higher_is_better,
        )
        for at, view in enumerate(views)
        if at and [*view.queries["id"]] == asked
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
