"""A table of sweeps that differ in some settings, compared with the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from harness.core.arrays import Float64Array
from harness.core.configuration import Override, parse
from harness.core.table import Column, Field, Table, counted
from harness.evaluation.column import judged
from harness.evaluation.metric import Metric
from harness.evaluation.paired_comparison import Comparison, corrected
from harness.sweep.folder import SweepResult, View, differing
from harness.sweep.judge.choice import matches


@dataclass(frozen=True)
class SettingRow:
    """The best trial of one sweep, as an index in a view of the sweep."""

    result: SweepResult
    view: View
    place: int

    def values(self, metric: Metric) -> Float64Array:
        """Return float64[Q], the metric on each question."""
        return self.view.values(self.place, metric)

    def compared(self, first: SettingRow) -> Comparison | None:
        """Compare with another row; None unless both have the same questions."""
        if [*self.view.queries["id"]] != [*first.view.queries["id"]]:
            return None
        metric, view = first.view.metric, first.view
        ours, theirs = self.values(metric), first.values(metric)
        return Comparison.of(ours, theirs, metric.binary, view.margin, view.clusters)

    @property
    def name(self) -> str:
        """The trial as it is printed."""
        winner = self.place == self.view.winner_place
        return self.view.winner_name if winner else self.view.rows[self.place]["name"]

    def setting(self, key: str) -> str:
        """Return the typed value of a key, or its default."""
        if key in self.result.given:
            return self.result.given[key]
        node: object = self.result.config
        for part in key.split("."):
            node = node.get(part) if isinstance(node, Mapping) else None
        if isinstance(node, Mapping):
            node = str(node.get("strategy", "")).rpartition("/")[2] or None
        return "default" if node is None else str(node)


def settings_table(results: Sequence[SweepResult]) -> Table:
    """Return the best trial of each sweep, by the objective of the first.

    Args:
        results: the sweeps, the reference first.

    Returns:
        A row for each sweep: the settings that differ, its score, and its difference from the first
        row on the same questions; a dash if they have other questions. All rows are on test if all
        sweeps were held out, otherwise on tune.
    """
    held_out = all(one.test for one in results)
    rows = [_best(one, one.locked if held_out else one.whole) for one in results]
    first, metric = rows[0], rows[0].view.metric
    known = {at: one for at, row in enumerate(rows[1:], 1) if (one := row.compared(first))}
    evaluation = max(row.view.evaluation for row in rows)
    found = dict(zip(known, corrected([*known.values()], evaluation), strict=True))
    sizes = {row.view.n for row in rows}
    keys = [
        Field(Column(key, "text"), partial(lambda key, at: rows[at].setting(key), key))
        for key in differing(results)[0]
    ]
    fields: list[Field[int]] = [
        *keys,
        Field(Column("n", "count"), lambda at: rows[at].view.n, len(sizes) > 1),
        Field(Column("trial", "text"), lambda at: rows[at].name),
        Field(Column(f"{metric} %"), lambda at: float(np.nanmean(rows[at].values(metric)))),
        *judged(found.get, "difference", "95% of difference", "W", "L", "Holm p"),
    ]
    notes = [
        "Difference from the first row, in points; W, L: questions won and lost against it; "
        f"Holm p{first.view.deciding}: over {counted(len(known), 'comparison')}."
    ]
    halves = " and ".join(dict.fromkeys(row.view.half for row in rows))
    title = f"{counted(len(results), 'setting')} on {halves}"
    return Table.of("settings", title, fields, range(len(rows)), notes=notes)


def _best(result: SweepResult, view: View) -> SettingRow:
    """Return the best fusion with the typed knobs, or the winner if no trial of
    the view has them.
    """
    whole = result.whole
    knobs = {name for row in whole.rows for name in row["parameters"]}
    typed = map(Override.read, result.config.get("given", ()))
    wanted = {
        one.key: parse(one.key, one.value)
        for one in typed
        if one.key in knobs and one.value is not None
    }
    found = (place for place in whole.fused if matches(whole.rows[place]["parameters"], wanted))
    place = view.place(whole.rows[next(found, whole.winner_place)]["trial"])
    return SettingRow(result, view, view.winner_place if place is None else place)
