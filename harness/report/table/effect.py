"""Where the winner wins: its effect against the reference by hop count and question type, with Holm's correction."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from harness.core.table import Column, Table
from harness.evaluation.comparison import Comparison
from harness.evaluation.metric import groups
from harness.evaluation.statistic import holm
from harness.sweep.folder import View


def effect(view: View) -> list[Table]:
    """The table; empty without the reference list, or when the objective is not 0/1."""
    other = view.singles.get(view.reference)
    if other is None or not view.metric.binary or other == view.winner_place:
        return []
    values, base = view.scores[view.winner_place], view.scores[other]
    found = {name: Comparison.of(values[part], base[part], labels=view.clusters[part]) for name, part in _parts(view)}
    corrected = [None, *holm([one.p_deciding for one in found.values()][1:]).tolist()]
    rows = [
        [name, one.n, one.wins, one.losses, one.difference, one.shown_interval, one.p, adjusted]
        for (name, one), adjusted in zip(found.items(), corrected, strict=True)
    ]
    columns = [
        Column("queries", "text"), Column("n", "count"), Column("W", "count"), Column("L", "count"),
        Column("difference", "points"), Column("95% interval", "span"), Column("p", "p"), Column("Holm p", "p"),
    ]  # fmt: skip
    caption = (
        f"Where the winner ({view.winner_name}) wins against {view.reference}. {view.caption()} Difference "
        "in points with a score interval; p: exact McNemar by query; Holm p: corrected over the rows below the first; "
        "it and the interval are by cluster where queries share gold passages."
    )
    return [Table("effect", "Effect by hop count and type", columns, rows, caption)]


def _parts(view: View) -> Iterator[tuple[str, NDArray[np.int64]]]:
    yield "all", np.arange(view.n)
    for number, members in groups(view.queries["hops"]).items():
        yield f"{number} hops", members
    for label, members in groups(view.queries["type"]).items():
        yield f"type {label}", members
