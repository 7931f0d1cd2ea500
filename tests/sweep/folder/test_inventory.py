"""What is listed of the sweeps of a runs folder."""

import json
import os

import pytest

from harness.core.errors import HarnessError
from harness.core.table import fit
from harness.sweep.folder import inventory
from harness.sweep.folder.caption import describe, differences
from harness.sweep.folder.inventory import latest, sweeps


@pytest.fixture
def runs(example, tmp_path):
    example.write(tmp_path / "sweeps" / "s2")
    return tmp_path


def test_the_list_of_sweeps_and_one_that_cannot_be_read(runs):
    (runs / "sweeps" / "broken").mkdir()
    (runs / "sweeps" / "broken" / "trials.parquet").write_text("no table")
    rows = {row[0]: row for row in sweeps(runs).rows}
    assert "cannot be read" in str(rows["broken"])
    parameters, _, winner, held_out = rows["s2"][1:]
    assert parameters == "none typed"
    lock = json.loads((runs / "sweeps" / "s2" / "winner.lock.json").read_text())
    assert winner == lock["winner"]["name"]
    assert held_out.startswith("evaluation")


def test_the_list_is_one_table_at_80_columns(example, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    example.write(tmp_path / "sweeps" / "2wikimultihopqa-591edbcc08ae")
    example.write(tmp_path / "sweeps" / "2wikimultihopqa-69dcdf06b3e3")
    lines = fit(sweeps(tmp_path))
    assert max(map(len, lines)) <= 80
    assert sum(set(line) == {"-"} for line in lines) == 1


def test_a_winner_that_is_a_list_is_listed_by_its_title(example, tmp_path):
    example.as_a_list(example.write(tmp_path / "sweeps" / "s1", heldout=False))
    ((*_, winner, _),) = sweeps(tmp_path).rows
    assert winner == "graph (locked as boltzmann pit alpha=0.7 beta=0.5 cap=20)"


def test_what_lists_are_made_of_in_words():
    dense = {"class": "m.Dense", "encoder": {"class": "m.Static", "model": "hub/mini"}, "depth": 10}
    graph = {
        "class": "m.PPR",
        "graph": {"class": "m.Entity", "extractor": {"class": "m.Offline"}},
        "depth": 10,
    }
    assert (
        describe({"dense": dense, "graph": graph})
        == "encoder hub/mini; graph: PPR (Entity, Offline); depth 10"
    )
    assert describe(
        {"dense": dense, "other": {**dense, "encoder": {"class": "m.Hashed"}, "depth": 5}}
    ) == ("encoder hub/mini, Hashed; depth 10, 5")
    assert (
        describe({"names": {"class": "m.Names", "extractor": {"class": "m.Offline"}}})
        == "names: Names (Offline)"
    )
    assert describe({"mine": {"class": "m.Trec"}}) == ""


def test_what_differs_from_a_publication_follows_from_what_ran():
    lists = {
        "dense": {"class": "m.Dense", "encoder": {"class": "m.Static"}},
        "graph": {"class": "m.PPR", "extractor": {"class": "m.Offline"}},
    }
    published = {"encoder": "NV-Embed-v2", "extractor": "Llama 3.3 70B", "filter": "GPT-4.1 mini"}
    assert differences(lists, published) == (
        "the encoder is Static but the publication has NV-Embed-v2; "
        "the extractor is Offline but the publication has Llama 3.3 70B; "
    )
    same = {"dense": {"encoder": {"class": "m.NvEmbedV2", "model": "nvidia/NV-Embed-v2"}}}
    assert differences(same, {"encoder": "NV-Embed-v2"}) == ""


def test_the_last_own_sweep_or_the_only_one(tmp_path, monkeypatch):
    with pytest.raises(HarnessError, match="there is no sweep yet"):
        latest(tmp_path)
    for time, name in enumerate(("two", "one"), 1):
        folder = tmp_path / "sweeps" / name
        folder.mkdir(parents=True)
        (folder / "winner.lock.json").write_text("{}")
        os.utime(folder / "winner.lock.json", (time, time))
        assert latest(tmp_path) == folder
    monkeypatch.setattr(inventory.os, "getuid", lambda: -1)
    with pytest.raises(HarnessError, match="all of other users"):
        latest(tmp_path)
    (folder / "winner.lock.json").unlink()
    assert latest(tmp_path).name == "two"
