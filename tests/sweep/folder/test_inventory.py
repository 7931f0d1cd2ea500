"""What is listed of the sweeps of a runs folder."""

import json

import pytest

from harness.sweep.folder.inventory import sweeps


@pytest.fixture
def runs(example, tmp_path):
    example.write(tmp_path / "sweeps" / "s2")
    return tmp_path


def test_the_list_of_sweeps_and_one_that_cannot_be_read(runs):
    (runs / "sweeps" / "broken").mkdir()
    (runs / "sweeps" / "broken" / "trials.parquet").write_text("no table")
    rows = {row[0]: row for row in sweeps(runs).rows}
    assert "cannot be read" in str(rows["broken"])
    benchmark, parameters, _, _, _, winner, held_out, size = rows["s2"][1:]
    assert parameters
    lock = json.loads((runs / "sweeps" / "s2" / "winner.lock.json").read_text())
    assert (benchmark, winner) == (lock["dataset"], lock["winner"]["name"])
    assert size.endswith(" MB")
    assert held_out.startswith("evaluation")


def test_a_winner_that_is_a_list_is_listed_by_the_lists_name(example, tmp_path):
    example.as_a_list(example.write(tmp_path / "sweeps" / "s1", heldout=False))
    ((*_, winner, _, _),) = sweeps(tmp_path).rows
    assert winner == "graph"
