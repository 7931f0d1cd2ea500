"""What is listed, and what can go: never a sweep with a lock, nor what it stands on, nor what is being written."""

import json
import os

import pytest
from filelock import FileLock

from harness.sweep.folder.inventory import leftovers, remove, sweeps
from harness.work.store import Store

USED = {
    "_target_": "harness.retriever.dense.Dense",
    "version": 1,
    "encoder": {"_target_": "harness.encoder.A", "version": 1},
}
OTHER = {
    "_target_": "harness.retriever.dense.Dense",
    "version": 1,
    "encoder": {"_target_": "harness.encoder.B", "version": 1},
}


@pytest.fixture
def runs(example, tmp_path):
    """One locked sweep that stands on USED, and artifacts of it and of others."""
    folder = tmp_path / "sweeps" / "s2"
    example.write(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "lists": {"dense": USED}}))
    return tmp_path


def made(runs, stage, config, benchmark=None):
    inputs = {"texts": "t"} if benchmark is None else {"benchmark": benchmark}
    return Store(runs).get(stage, config, inputs, lambda folder: (folder / "x").write_text("x" * 100) and None).path


def test_what_a_locked_sweep_stands_on_stays(runs):
    data = json.loads((runs / "sweeps" / "s2" / "manifest.json").read_text())["data_sha256"]
    kept = [
        made(runs, "retrieve", USED, data),
        made(runs, "encode", {"encoder": USED["encoder"], "role": "passage"}),
        made(runs, "ids", {}, data),
        made(runs, "dataset", {"_target_": "harness.dataset.Any"}),
        made(runs, "answer", OTHER, "other data"),  # may have been paid for
    ]
    gone = [
        made(runs, "retrieve", OTHER, data),
        made(runs, "retrieve", USED, "other data"),
        made(runs, "encode", {"encoder": OTHER["encoder"], "role": "passage"}),
        made(runs, "ids", {}, "other data"),
    ]
    found = list(leftovers(runs))
    assert {each.path for each in found} == set(gone)
    assert all(each.size > 100 for each in found)
    for each in found:
        remove(each)
    assert all(path.is_dir() for path in kept)
    assert list(leftovers(runs)) == []


def test_parts_of_living_processes_and_sweeps_in_the_making_stay(runs):
    dead = runs / "artifacts" / "encode" / "aa.partial"
    alive = runs / "artifacts" / "encode" / "bb.partial"
    ended = runs / "sweeps" / "unfinished"
    running = runs / "sweeps" / "running"
    for path in (dead, alive, ended, running):
        path.mkdir(parents=True)
    with FileLock(alive.with_suffix(".lock")), FileLock(running.with_suffix(".lock")):
        assert {each.path for each in leftovers(runs)} == {dead, ended}


def test_the_list_of_sweeps_and_one_that_cannot_be_read(runs):
    (runs / "sweeps" / "broken").mkdir()
    (runs / "sweeps" / "broken" / "trials.parquet").write_text("no table")
    rows = {row[0]: row for row in sweeps(runs).rows}
    assert "cannot be read" in str(rows["broken"])
    benchmark, _, _, _, winner, held_out, size = rows["s2"][1:]
    lock = json.loads((runs / "sweeps" / "s2" / "winner.lock.json").read_text())
    assert (benchmark, winner) == (lock["dataset"], lock["winner"]["name"])
    assert size.endswith(" MB")
    assert held_out.startswith("evaluation")


def test_a_winner_that_is_a_list_is_listed_by_the_lists_name(example, tmp_path):
    example.as_a_list(example.write(tmp_path / "sweeps" / "s1", heldout=False))
    ((*_, winner, _, _),) = sweeps(tmp_path).rows
    assert winner == "graph alone"


def test_files_that_killed_processes_left_go_and_those_of_living_ones_stay(runs):
    dead = [runs / place / "x.json.999999999.partial" for place in ("", "answers/m", "untracked", "sweeps/s2")]
    alive = runs / "sweeps" / "s2" / f"x.json.{os.getpid()}.partial"
    young = runs / "answers" / "m" / "y.json.999999998.partial"  # maybe of another machine
    for path in (*dead, alive, young):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("half")
    for path in (*dead, alive):
        os.utime(path, (0, 0))
    found = list(leftovers(runs))
    assert {each.path for each in found} == set(dead)
    assert {(each.why, each.size) for each in found} == {("left by a process that has ended", 4)}
    for each in found:
        remove(each)
    assert not any(path.exists() for path in dead)
    assert alive.exists()
    assert young.exists()
