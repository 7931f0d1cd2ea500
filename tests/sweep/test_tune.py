"""The trials that an experiment's tables are about are locked, and held out, with the winner."""

from dataclasses import replace

from harness.core.configuration.composition import compose
from harness.sweep.heldout.locked_trials import heldout
from harness.sweep.trial.plan import Plan
from harness.sweep.trial.prepared import Prepared
from harness.sweep.tune import sweep

ROWS = (
    "{label: third, where: {fuser: linear, fuser.alpha: 0.6}},"
    "{label: fourth, where: {fuser: linear, fuser.alpha: 0.9}},"
    "{label: none, where: {fuser: tsallis}}"
)
GRID = (
    "grid=point",
    "+grid.some={fuser:[linear],fuser.alpha:[0.1,0.3,0.6,0.9],pool.cap:[8]}",
    f"+experiment={{source: here, differs: nothing, tables: [{{name: t, rows: [{ROWS}]}}]}}",
)


def test_rows_of_tables_are_scored_on_test(overrides):
    given = (*overrides, *GRID)
    prepared = Prepared.of(Plan(compose("config", given), given))
    result = heldout(sweep(prepared, prepared.plan.trials()), prepared, again=False)
    asked = [row for row in result.heldout or () if "experiment" in row["roles"]]
    assert sorted(row["parameters"]["fuser.alpha"] for row in asked) == [0.6, 0.9]
    assert [row["parameters"]["fuser.alpha"] for row in result.lock["named"]] == [0.6, 0.9]
    assert {row["split"] for row in asked} == {"test"}


def test_a_sweep_lasts_from_when_its_lists_began_to_be_built(overrides):
    given = (*overrides, "grid=point")
    prepared = Prepared.of(Plan(compose("config", given), given))
    earlier = replace(prepared, began=prepared.began - 50)  # seconds
    result = sweep(earlier, earlier.plan.trials())
    assert result.manifest["seconds"] > 50
