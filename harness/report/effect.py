"""Where the winner wins: its effect against dense by hop count and question type, corrected for looking at each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from harness.metric import Metric, groups, wins_losses
from harness.report.table import Column, Table
from harness.report.text import span
from harness.report.view import View
from harness.statistic import clustered_bootstrap, difference_interval, holm, mcnemar
from harness.sweep.result import SweepResult


def effect(result: SweepResult) -> list[Table]:
    """The table; empty without a dense list, or when the objective is not 0/1."""
    view = View.of(result)
    metric, dense = Metric.parse(view.objective), view.row_of("dense")
    if dense is None or not metric.binary or dense == view.winner_place():
        return []
    won, lost = wins_losses(view.ranks[view.winner_place()], view.ranks[dense], metric)
    parts = list(_parts(view))
    counts = [(int(won[part].sum()), int(lost[part].sum()), len(part)) for _, part in parts]
    ps = [mcnemar(wins, losses) for wins, losses, _ in counts]
    corrected = [None, *holm(ps[1:]).tolist()]
    rows = [
        [name, n, wins, losses, (wins - losses) / n, difference_interval(wins, losses, n), p, adjusted]
        for (name, _), (wins, losses, n), p, adjusted in zip(parts, counts, ps, corrected, strict=True)
    ]
    columns = [
        Column("queries", "text"), Column("n", "count"), Column("W", "count"), Column("L", "count"),
        Column("difference", "points"), Column("95% interval", "span"), Column("p", "p"), Column("Holm p", "p"),
    ]  # fmt: skip
    said = (
        f"Where the winner ({view.rows[view.winner_place()]['name']}) wins against dense. {view.caption()} Difference "
        "in points with Tango's score interval; p: exact McNemar; Holm p: corrected over the rows below the first."
        f"{_clustered(view, won, lost)}"
    )
    return [Table("effect", "Effect by hop count and type", said, columns, rows)]


def _parts(view: View) -> Iterator[tuple[str, NDArray[np.int64]]]:
    yield "all", np.arange(view.n)
    for number, members in groups(view.queries["hops"]).items():
        yield f"{number} hops", members
    for label, members in groups(view.queries["type"]).items():
        yield f"type {label}", members


def _clustered(view: View, won: NDArray[np.bool_], lost: NDArray[np.bool_]) -> str:
    if "cluster" not in view.queries:
        return ""
    labels = view.queries["cluster"].to_numpy()
    sizes = np.bincount(labels)
    if len(sizes) == view.n:
        return " No two queries share a gold passage."
    low, high = clustered_bootstrap(won.astype(float) - lost, labels)
    return (
        f" Queries that share gold passages form {len(sizes)} clusters (the largest has {sizes.max()} queries); "
        f"drawing whole clusters, the bootstrap's 95% interval of the first row is {span((low, high))}."
    )
