"""What lists cost, as a table, by hand."""

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
    (table,) = cost(costing(example, tmp_path / "s", lists=LISTS).whole)
    assert table.cells() == [["dense", "50.0", "50", "2.5", "8"], ["graph", "62.5", "90", "–", "–"]]
    assert "573 MiB." in table.caption


def test_a_sweep_of_before_has_none(example: ModuleType, tmp_path: Path) -> None:
    result = costing(example, tmp_path / "s")
    assert cost(result.whole) == []
