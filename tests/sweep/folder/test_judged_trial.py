"""A judged trial is read as it was written."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from harness.evaluation.paired_comparison import Outcome
from harness.sweep.folder.judged_trial import (
    Evaluated,
    JudgedTrial,
    comparisons_frame,
    read_trials,
    trials_frame,
)

WON = Outcome(105, 5, 0.5, 0.4, 0.6, 1e-20, None, 2e-20)
DENSE = JudgedTrial(
    trial="d",
    name="dense",
    family="single",
    untuned=True,
    blocks=["baselines"],
    overrides=["fuser=single"],
    parameters={"fuser": "single", "fuser.list": "dense"},
    dataset="mine",
    split="tune",
    n=200,
    scores={"last_hop@5": 0.25, "recall@5": 0.5},
    reference="dense",
    outcomes={},
    wilson=[0.2, 0.3],
)
RRF = JudgedTrial(
    trial="r",
    name="rrf k=60",
    family="rrf",
    untuned=False,
    blocks=["ranks", "mine"],
    overrides=["fuser=rrf", "fuser.k=60"],
    parameters={"fuser": "rrf", "fuser.k": 60, "pool.lists": ["dense", "graph"]},
    dataset="mine",
    split="tune",
    n=200,
    scores={"last_hop@5": 0.75, "recall@5": 1.0},
    reference="dense",
    outcomes={"dense": WON, "graph": Outcome(0, 0, 0.0, None, None, 1.0, None, None)},
    odds_ratio=21.0,
    graph_win=105,
    graph_loss=5,
    equals="d",
    tied=True,
)


def test_tables_are_read_as_they_were_written(tmp_path: Path) -> None:
    """Counts are integers in a column that has a null, too."""
    trials = [DENSE, RRF]
    trials_frame(trials).to_parquet(tmp_path / "trials.parquet")
    comparisons_frame(trials, "last_hop@5").to_parquet(tmp_path / "comparisons.parquet")
    rows = pd.read_parquet(tmp_path / "trials.parquet")
    assert [rows["wins"].isna()[0], int(rows["wins"][1]), rows["low"][1]] == [True, 105, 0.4]
    compared = pd.read_parquet(tmp_path / "comparisons.parquet")
    assert compared["against"].tolist() == ["dense", "graph"]
    assert read_trials(rows, compared, "dense") == trials


def test_rows_of_test_are_read_as_they_were_written() -> None:
    from dataclasses import replace

    found = Evaluated(evaluation=2, seen=7, coverage={"dense": 1.0}, roles=["winner"])
    judged = replace(RRF, split="test", on_test=found)
    rows = json.loads(json.dumps([judged.record]))
    assert rows[0]["evaluation"] == 2
    assert read_trials(rows, comparisons_frame([judged], "last_hop@5"), "dense") == [judged]


def test_a_trial_alone_has_a_table_of_comparisons_without_rows() -> None:
    assert comparisons_frame([DENSE], "last_hop@5").columns.tolist()[3] == "against"
    assert len(comparisons_frame([DENSE], "last_hop@5")) == 0
