"""The importance of knobs: the explained share of the trials' variance, and the best values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.core.table import Column, Source, Table, counted, percent
from harness.sweep.folder import SweepResult, View, caption
from harness.sweep.judge import Importance, KnobEffect, of_sweeps, of_view

PAIRS = 3
"""The largest number of interactions that are shown."""
LEAST = 0.005
"""The smallest share of an interaction that is shown; a smaller one prints as 0."""
FULL = (
    "Every combination of values was tried, so these are the effects of functional ANOVA by "
    "group means"
)
GAPS = (
    "Not every combination of values was tried, so a knob is judged among the trials that have "
    "it, by what it adds to the other knobs of all of these (type II sums of squares). On a full "
    "grid that is functional ANOVA by group means"
)
OTHERS = 4
"""Number of values that are shown after the best one: the nearest, and the last."""


def knobs(view: View) -> list[Table]:
    """Return the table of all trials on tune; empty if no knob was varied or all scores are
    equal.
    """
    found = of_view(view)
    if not found.main:
        return []
    title = f"The share of each knob on {view.half}"
    return [_table(title, found, caption.source(view), explained(view, found))]


def knobs_over(results: Sequence[SweepResult]) -> list[Table]:
    """Return the table over several sweeps of one benchmark and objective."""
    views = [result.whole for result in results]
    same = {(view.data_sha256, view.objective, view.n) for view in views}
    found = of_sweeps(results) if len(same) == 1 < len(views) else None
    if found is None or not found.main:
        return []
    view = views[0]
    notes = explained(view, found, sum(len(one.fused) for one in views))
    title = f"The share of each knob over {counted(len(views), 'sweep')} on {view.half}"
    return [_table(title, found, Source(), notes)]


def _table(title: str, found: Importance, source: Source, note: str) -> Table:
    names = short_names(found)
    rows: list[Sequence[Any]] = [
        [names[one.knobs[0]], one.trials, one.share, value_text(one.levels[0].value), _behind(one)]
        for one in found.main
    ]
    pairs = [one for one in found.pairs[:PAIRS] if one.share >= LEAST]
    for one in pairs:
        name = " × ".join(names[knob] for knob in one.knobs)
        rows.append([name, one.trials, one.share, None, None])
    columns = [
        Column("knob", "text"),
        Column("trials", "count"),
        Column("share %"),
        Column("best value", "text"),
        Column("points behind it", "text"),
    ]
    return Table("knobs", title, columns, rows, source, [note])


def explained(view: View, found: Importance, fusions: int | None = None) -> str:
    """Return the sentences that explain the shares.

    Args:
        view: every trial on tune.
        found: the shares.
        fusions: number of fusions; None: those of the view.
    """
    return (
        f"Share: of the variance of {view.objective} over the "
        f"{counted(fusions or len(view.fused), 'fusion')}. "
        f"{FULL if found.full else GAPS}. Two knobs: their interaction, in "
        "addition to each alone. Behind: how many points the best trial with another value scores "
        "less than the best trial with the knob."
    )


def short_names(found: Importance) -> Mapping[str, str]:
    """Return ``alpha`` for ``fuser.alpha``; a name that two knobs would share does not change."""
    knobs = [one.knobs[0] for one in found.main]
    last = [knob.rpartition(".")[2] for knob in knobs]
    return {
        knob: name if last.count(name) == 1 else knob
        for knob, name in zip(knobs, last, strict=True)
    }


def value_text(value: Any) -> str:
    """Return a knob's value as in a grid; no cap is ``all``."""
    if isinstance(value, (list, tuple)):
        return "+".join(map(value_text, value))
    if value is None:
        return "all"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _behind(one: KnobEffect) -> str:
    best, *others = one.levels
    levels = [f"{value_text(level.value)}: {percent(best.best - level.best)}" for level in others]
    return ", ".join(
        levels if len(levels) <= OTHERS else [*levels[: OTHERS - 1], f"... {levels[-1]}"]
    )
