"""The author of a method finds it: what was added is a row of sweep and heldout, however
it ranks.
"""

import json
from pathlib import Path

import pandas as pd
import pytest

from harness.sweep.trial.override import added
from tests import process

GRID = "+grid.some={fuser:[linear],normalizer:[max,pit],fuser.alpha:[0.2,0.3,0.4,0.6],pool.cap:[8,9,12]}"
MINE = "+grid.mine={fuser:[combmin],normalizer:[rank,pit],pool.cap:[1],pool.lists:[[dense,graph],[dense,mine]]}"


def test_the_best_trial_of_all_that_was_added_is_a_row(overrides, bench, tmp_path):
    given = [*overrides, "grid=point", GRID, MINE, f"lists.mine={bench / 'bm25.trec'}"]
    swept = process.harness("sweep", *given, cwd=tmp_path, check=True).stdout
    held = process.harness(
        "heldout", f"paths.runs={tmp_path / 'runs'}", "tracking=none", cwd=tmp_path, check=True
    ).stdout
    folder = Path(swept.splitlines()[-1])
    trials = pd.read_parquet(folder / "trials.parquet")
    knobs = trials["parameters"].map(json.loads)
    fused = trials["family"] != "single"
    groups = {
        "combmin": trials["family"] == "combmin",
        "normalizer=rank": knobs.map(lambda own: own.get("normalizer") == "rank"),
        "list mine": knobs.map(lambda own: "mine" in own["pool.lists"]),
    }
    for group, members in groups.items():
        best = trials["name"][fused & members].iloc[0]  # rows are best first
        assert f" {best} " in swept, group
        assert f" {best} " in held, group
    lock = json.loads((folder / "winner.lock.json").read_text())
    assert {"fuser=combmin", "normalizer=rank", "list mine"} <= set(lock["added"])
    assert "best normalizer=rank" in (folder / "heldout.json").read_text()


@pytest.mark.plugin("dice")
def test_what_is_in_the_grid_or_in_conf_already_is_not_added():
    grid = {
        "own": {"fuser": ["rrf", "linear"], "normalizer": "pit"},
        "mine": {"fuser": ["rrf", "dice"], "fuser.k": [3]},
    }
    assert added(["+grid.mine={fuser:[rrf,dice]}"], grid) == {"fuser=dice": ("fuser", "dice")}
    assert added(["fuser=dice", "lists.dense=a.trec", "lists.bm25.path=x"], grid) == {}
    expected = {"list new": ("pool.lists", "new")}
    assert added(["lists.new.path=a.trec", "+retriever@lists.new=trec"], grid) == expected
