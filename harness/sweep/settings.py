"""Sweeps that differ in some settings, side by side: a row each, compared with the first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from harness.core.table import Column, Field, Table, counted
from harness.evaluation.comparison import Comparison, corrected
from harness.evaluation.conclusion import judged
from harness.sweep.folder import SweepResult, View, differing
from harness.sweep.judge.selection import matches


def settings_table(results: Sequence[SweepResult]) -> Table:
    """The best trial of each sweep, by the objective of the first.

    Args:
        results: the sweeps, the reference first.

    Returns:
        A row a sweep: what differs, its score, and its difference from the first row on the same
        questions; a dash where they have other questions. All rows are on test where all sweeps
        were held out, else on tune.
    """
    views = [one.test for one in results if one.test]
    if len(views) < len(results):
        views = [one.whole for one in results]
    places = [_best(one, view) for one, view in zip(results, views, strict=True)]
    first, metric = views[0], views[0].metric
    values = [view.values(place, metric) for view, place in zip(views, places, strict=True)]
    asked = [[*view.queries["id"]] for view in views]
    rows = [row for row in range(1, len(views)) if asked[row] == asked[0]]
    compared = [
        Comparison.of(values[row], values[0], metric.binary, first.margin, first.clusters)
        for row in rows
    ]
    found = dict(zip(rows, corrected(compared, max(v.evaluation for v in views)), strict=True))
    names = list(differing(results)[0])
    fields: list[Field[int]] = [
        *(Field(Column(name, "text"), _reader(results, name)) for name in names),
        Field(Column("n", "count"), lambda row: views[row].n, len({view.n for view in views}) > 1),
        Field(Column("trial", "text"), lambda row: _name(views[row], places[row])),
        Field(Column(f"{metric} %"), lambda row: float(np.nanmean(values[row]))),
        *judged(found.get, "difference", "95% of difference", "W", "L", "Holm p"),
    ]
    notes = [
        "Difference from the first row, in points; W, L: questions won and lost against it; "
        f"Holm p{first.deciding}: over {counted(len(compared), 'comparison')}."
    ]
    halves = " and ".join(dict.fromkeys(view.half for view in views))
    title = f"{counted(len(results), 'setting')} on {halves}"
    return Table.of("settings", title, fields, range(len(results)), notes=notes)


def _reader(results: Sequence[SweepResult], name: str) -> Callable[[int], str]:
    return lambda row: _setting(results[row], name)


def _setting(result: SweepResult, name: str) -> str:
    """What was typed for a parameter, or its default."""
    if name in result.given:
        return result.given[name]
    node: object = result.config
    for key in name.split("."):
        node = node.get(key) if isinstance(node, Mapping) else None
    if isinstance(node, Mapping):
        node = str(node.get("strategy", "")).rpartition("/")[2] or None
    return "default" if node is None else str(node)


def _name(view: View, place: int) -> str:
    return view.winner_name if place == view.winner_place else view.rows[place]["name"]


def _best(result: SweepResult, view: View) -> int:
    """The place of the best fusion with the knobs that were typed; the winner where no trial has
    them, or where that is not in the view.
    """
    whole = result.whole
    wanted = {name: value for name, value in _typed(result).items() if name in whole.knobs}
    found = (place for place in whole.fused if matches(whole.rows[place]["parameters"], wanted))
    place = view.place(whole.rows[next(found, whole.winner_place)]["trial"])
    return view.winner_place if place is None else place


def _typed(result: SweepResult) -> dict[str, object]:
    """The values that were typed, by key, as Hydra reads them."""
    from hydra.core.override_parser.overrides_parser import OverridesParser

    parsed = OverridesParser.create().parse_overrides(list(result.config.get("given", ())))
    return {one.key_or_group: one.value() for one in parsed if not one.is_delete()}
