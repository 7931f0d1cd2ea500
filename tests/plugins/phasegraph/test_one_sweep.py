"""All tables of PhaseGraph in one sweep: `experiment=phasegraph`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from omegaconf import OmegaConf

from harness.core.configuration.composition import compose
from harness.core.errors import HarnessError
from harness.report.table.comparison_table import ComparisonTable, publication
from harness.sweep.folder.result import SweepResult
from harness.sweep.heldout.locked_trials import heldout
from harness.sweep.trial.plan import Plan
from harness.sweep.trial.prepared import Prepared
from harness.sweep.tune import sweep
from tests.process import harness

LARGE = (
    *("products", "distances", "means", "heavy_tails", "strengths", "fusion_values"),
    *("fusion_weights", "interference", "table_2_temperatures", "table_2_formula"),
)
"""Large blocks of Tables 2 and 5 that tests do without."""
SweepOf = Callable[..., tuple[SweepResult, Prepared]]


@pytest.fixture
def given(bench: Path) -> tuple[str, ...]:
    """The sweep of the benchmark's lists; Ising needs a graph with names, which they lack."""
    lists = f"lists.graph_nosyn={bench / 'graph'}.trec"
    return "experiment=phasegraph", lists, "reranker=none", *(f"~grid.{name}" for name in LARGE)


def tables(result: SweepResult) -> list[ComparisonTable]:
    """The tables of rows of the sweep's experiment."""
    experiment = result.config["experiment"]
    specs = [spec for spec in experiment["tables"] if "rows" in spec]
    return [ComparisonTable(result, spec, publication(experiment, spec)) for spec in specs]


def numbers(table: ComparisonTable) -> list[tuple[Any, ...]]:
    """What a table shows of each row by its first metric; of trials that are equal by it the first
    is chosen by name, and names say what varies in a sweep.
    """
    found = []
    for line in table.lines:
        one = line.against
        judged = one and (one.wins, one.losses, one.difference, one.interval, one.p_holm)
        found.append((line.label, line.slice, line.n, line.scores[0], judged))
    return found


@pytest.mark.parametrize("name", ["phasegraph_table_7", "phasegraph_table_9"])
def test_a_table_of_the_one_sweep_is_that_of_a_sweep_of_its_own_grid(
    sweep_of: SweepOf, overrides: list[str], given: tuple[str, ...], name: str
) -> None:
    """The latter is by the table's objective, and has no other trials."""
    every, _ = sweep_of(*given)
    typed = (*overrides, *given)
    (of_union,) = (table for table in tables(every) if table.spec["name"] == name)
    config = compose("config", typed)
    config.objective = of_union.spec["objective"]
    config.grid = OmegaConf.masked_copy(config.grid, list(of_union.spec["blocks"]))
    config.experiment.tables = [one for one in config.experiment.tables if one.name == name]
    config.experiment.figures = []
    alone = Prepared.of(Plan(config, typed))
    (own,) = tables(sweep(alone, alone.plan.trials()))
    assert len(own.result.whole.rows) < len(every.whole.rows)
    assert numbers(of_union) == numbers(own)


def test_rows_are_of_their_tables_grid_and_all_are_held_out_once(
    sweep_of: SweepOf, given: tuple[str, ...]
) -> None:
    swept, prepared = sweep_of(*given)
    result = heldout(swept, prepared, again=False)
    assert result.test is not None
    evaluated = {row.trial for row in result.test.rows}
    found = tables(result)
    assert len(found) > 10
    for table in found:
        chosen = [result.whole.rows[place] for place in table.places if place is not None]
        assert chosen
        for row in chosen:
            assert row.untuned or {*row.blocks} & {*table.spec["blocks"]}
        assert evaluated >= {row.trial for row in chosen}
        tune, test = (
            {line.label for line in table.lines if line.split == at} for at in ("tune", "test")
        )
        assert tune == test
    with pytest.raises(HarnessError, match="has been evaluated already, 1 time"):
        heldout(result, prepared, again=False)
    (ledger,) = result.folder.parent.parent.glob("ledger.jsonl")
    assert len(ledger.read_text().splitlines()) == 1


def test_a_table_is_printed_alone(
    sweep_of: SweepOf, given: tuple[str, ...], tmp_path: Path
) -> None:
    result, _ = sweep_of(*given)
    typed = ["report", f"sweep={result.folder}", f"paths.reports={tmp_path / 'reports'}"]
    done = harness(*typed, "table=phasegraph_table_3", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Pool cap, alpha and synonyms")
    assert "alpha .7, cap 30" in done.stdout
    assert "HippoRAG 2" not in done.stdout
    assert not (tmp_path / "reports").exists()
    done = harness(*typed, "table=phasegraph_table3", cwd=tmp_path)
    assert done.returncode == 2
    assert "phasegraph_table_3" in done.stderr
    assert "phasegraph_figure_5_blend" in done.stderr


def test_blocks_that_the_grid_lacks_are_one_line(
    overrides: list[str], given: tuple[str, ...], tmp_path: Path
) -> None:
    done = harness("sweep", *overrides, *given[:2], "grid=point", cwd=tmp_path)
    assert done.returncode == 2
    assert "phasegraph_table_1: blocks=table_1" in done.stderr
