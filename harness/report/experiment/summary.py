"""Groups of trials: how many, wins and losses, the best score (PhaseGraph Table 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.core.table import Column, Table
from harness.sweep.folder import SweepResult
from harness.sweep.judge import matches


def summary(result: SweepResult, spec: Mapping[str, Any], experiment: Mapping[str, Any]) -> Table:
    """A row a group of ``spec.summary`` (``label, where, published``), and a total."""
    objective = result.manifest["objective"]
    view = result.whole
    trials = [view.rows[place] for place in view.fused]
    rows = []
    for group in [*spec["summary"], {"label": "total", "where": {}}]:
        mine = [row for row in trials if matches(row["parameters"], group["where"])]
        if mine:
            counts = [(row["wins"] or 0, row["losses"] or 0) for row in mine]
            most = max(counts, key=lambda count: (count[0], -count[1]))
            means = [f"{sum(column) / len(mine):.1f}" for column in zip(*counts, strict=True)]
            numbers = [len(mine), *most, *means, view.score(mine[0]), mine[0]["name"]]
            rows.append([group["label"], *numbers, str(group.get("published", "–"))])
    columns = [
        Column("trials", "text"), Column("number", "count"), Column("most W", "count"), Column("its L", "count"),
        Column("mean W", "text"), Column("mean L", "text"),
        Column(f"best {objective} %"), Column("best strategy", "text"), Column("published", "text"),
    ]  # fmt: skip
    facts = result.manifest
    said = (
        f"{experiment['source']}, on {facts['dataset']}, tune split, n = {facts['n']} queries. W and L: queries that "
        f"the trial finds and {view.reference} does not, and the reverse, by {objective}. Published figures are not "
        f"comparable: {experiment['differs']} Data {facts['data_sha256'][:12]}."
    )
    return Table(spec["name"], spec["title"], columns, rows, said)
