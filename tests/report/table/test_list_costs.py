"""What lists cost, as a table, by hand."""

import dataclasses
import json
from pathlib import Path
from types import ModuleType

from harness.report.table.list_costs import cost
from harness.sweep.folder.result import SweepResult

ALONE = {"alone_mean_ms": 3.0, "alone_p50_ms": 2.5, "alone_p95_ms": 8.0}
LISTS = {
    "dense": {"index_seconds": 50.0, "index_mb": 14.5, "query_ms": 2.0, **ALONE},
    "graph": {"index_seconds": 90.0, "index_mb": 20.0, "query_ms": 40.0},
}


def costing(example: ModuleType, folder: Path, **cost: object) -> SweepResult:
    path = example.write(folder).folder / "manifest.json"
    path.write_text(
        json.dumps({**json.loads(path.read_text()), "cost": {"peak_memory_mb": 573, **cost}})
    )
    return SweepResult(folder)


def test_cheapest_first_beside_what_it_finds(example: ModuleType, tmp_path: Path) -> None:
    table, _ = cost(costing(example, tmp_path / "s", lists=LISTS).whole)
    assert table.cells() == [
        ["dense", "50.0", "50", "14.5", "2", "3", "2.5", "8"],
        ["graph", "62.5", "90", "20", "40", "–", "–", "–"],
    ]
    assert "573 MiB." in table.caption


def test_what_a_budget_buys(example: ModuleType, tmp_path: Path) -> None:
    """Dense finds 50.0 within 8 ms, the graph 62.5 within 60, both fused at best 75.0 within 68;
    BM25, which takes 9 and finds 25.0, is worth no row.
    """
    lists = {
        name: {**LISTS["dense"], "alone_p95_ms": ms}
        for name, ms in (("dense", 8), ("graph", 60), ("bm25", 9))
    }
    result = costing(example, tmp_path / "s", lists=lists)
    fused = [
        {**row, "parameters": {"pool.lists": ["dense", "graph"], **row["parameters"]}}
        for row in result.whole.rows
    ]
    _, table = cost(dataclasses.replace(result.whole, rows=fused))
    assert table.cells() == [
        ["8", "dense", "dense", "50.0"],
        ["60", "graph", "graph", "62.5"],
        ["68", "boltzmann pit alpha=0.7 beta=0.5 cap=20", "dense, graph", "75.0"],
    ]


def test_a_sweep_of_before_has_none(example: ModuleType, tmp_path: Path) -> None:
    result = costing(example, tmp_path / "s")
    assert cost(result.whole) == []
