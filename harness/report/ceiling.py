"""What a perfect fuser would reach in each pool, beside what the best trial reached."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.report.table import Column, Table
from harness.report.view import View
from harness.sweep.result import SweepResult
from harness.tracking.entry import loaded, records


def ceiling(result: SweepResult) -> list[Table]:
    """What a perfect fuser would reach in each pool, beside the best trial in it. Empty when no pool was capped."""
    view = View.tune(result)
    rows = [[*row] for row in ceilings(result)]
    columns = [
        Column("pool.cap", "text"), Column("lists", "text"), Column("ceiling %"), Column("best trial", "text"),
        Column(f"{view.objective} %"),
    ]  # fmt: skip
    said = f"Ceiling by pool: share of queries whose last gold passage is anywhere in the pool. {view.caption()}"
    return [Table("ceiling", "Ceiling", said, columns, rows)] if rows else []


def ceilings(result: SweepResult) -> list[tuple[str, str, float, str | None, float | None]]:
    """(cap, lists, ceiling, best trial, its objective) of each pool, smaller caps first."""
    objective = result.manifest["objective"]
    found = []
    for entry in result.manifest["ceiling"]:
        cap, names = entry["cap"], "+".join(entry["lists"])
        best = next((row for row in _fused(result) if _in_pool(row, cap, names)), None)
        told = (best["name"], best[objective]) if best else (None, None)
        found.append((cap, ("all" if cap is None else str(cap), names, entry["share"], *told)))
    found.sort(key=lambda item: (item[0] is None, item[0] or 0, item[1][1]))
    return list(dict.fromkeys(row for _, row in found))


def _fused(result: SweepResult) -> list[dict[str, Any]]:
    return records(result.trials[result.trials["family"] != "single"])


def _in_pool(row: Mapping[str, Any], cap: int | None, names: str) -> bool:
    knobs = loaded(row["parameters"])
    lists = knobs.get("pool.lists")
    return knobs.get("pool.cap") == cap and (not lists or not names or "+".join(lists) == names)
