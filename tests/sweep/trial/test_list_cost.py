"""What a sweep cost is read from the manifests of what its lists were made of, each
counted once.
"""

import json
import sys
import time
from pathlib import Path

import pytest

from harness.core.artifact import MANIFEST
from harness.sweep.folder.files import file_hash
from harness.sweep.trial.list_cost import cost
from harness.work.latency import time_alone
from harness.work.store import Store

EXTRACTOR = {"_target_": "harness.extractor.llm.LLM"}
GRAPH = {"_target_": "harness.graph.entity.Entity", "extractor": EXTRACTOR}
INPUTS = {"benchmark": "5ca1ab1e"}


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


def test_what_a_list_needs_by_hand(store):
    """Index: the graph's own 4 s, its extraction's 3. Ten questions: the list's own 2 s, their
    vectors' 1. Alone: the list's 10, 20 and 60 ms (95% lies at .9 of the way from 20 to 60), each
    with 100 ms of a vector.
    """

    def told(stage, config, inputs, seconds, used=(), **more):
        """An artifact whose manifest says what it took with all on its way, and alone."""
        made = store.get(
            stage,
            config,
            inputs,
            lambda folder: (folder / "x").write_bytes(b"x" * (1 << 20)) and None,
        )
        path = made.path / MANIFEST
        own = {"seconds": sum(seconds), "own_seconds": seconds[0], "used": list(used), **more}
        path.write_text(json.dumps({**json.loads(path.read_text()), **own}))
        return f"{stage}/{made.key}"

    texts = told("extract", EXTRACTOR, INPUTS, [3.0])
    graph = told("graph", GRAPH, INPUTS, [4.0, 3.0], [texts])
    asked = told("encode", {"encoder": {}, "role": "question"}, {"texts": "q"}, [1.0])
    lists = {"ppr": {"_target_": "harness.retriever.ppr.PPR", "graph": GRAPH}}
    told(
        "retrieve",
        lists["ppr"],
        INPUTS,
        [2.0, 1.0, 7.0],
        [texts, graph, asked],
        alone_ms=[10.0, 20.0, 60.0],
    )
    whole = cost(lists, "5ca1ab1e", store, {"score": 1.23456}, 10)
    assert whole["seconds"]["score"] == 1.235
    assert whole["seconds"]["lists"]["ppr"] == 10.0
    found = whole["lists"]
    alone = {"alone_mean_ms": 130.0, "alone_p50_ms": 120.0, "alone_p95_ms": 156.0}
    assert found == {"ppr": {"index_seconds": 7.0, "index_mb": 2.0, "query_ms": 300.0, **alone}}
    one = cost(lists, "5ca1ab1e", store, {}, 1)["lists"]["ppr"]
    assert (one["query_ms"], one["alone_p50_ms"]) == (3000.0, 1020.0)


def test_a_list_asks_some_of_its_questions_alone(store):
    """32 of 100, the first (once before the clock runs) and the last among them; nothing outside an
    artifact.
    """
    asked = []
    made = store.get("retrieve", {}, {}, lambda folder: time_alone(asked.append, 100))
    assert (len(asked), asked[:2], asked[-1]) == (33, [0, 0], 99)
    assert len(made.manifest["alone_ms"]) == 32
    time_alone(asked.append, 1)
    assert asked[33:] == [0, 0]


def test_an_artifact_notes_what_it_used_and_its_own_seconds(store):
    def graph(folder):
        texts = store.get("extract", {}, {}, lambda inner: time.sleep(0.05))
        store.get("extract", {}, {}, lambda inner: None)
        assert store.get("encode", {}, {}, lambda inner: None).manifest["used"] == []
        return {"from": texts.key}

    made = store.get("graph", {}, {}, graph).manifest
    keys = [store.place(stage, {}, {}).name for stage in ("extract", "encode")]
    assert made["used"] == [f"extract/{keys[0]}", f"encode/{keys[1]}"]
    assert made["seconds"] >= 0.05 + made["own_seconds"] >= 0.05


@pytest.mark.skipif(sys.platform != "linux", reason="reads what Linux says of a process")
def test_peak_memory_is_in_mib(store):
    line = next(
        line
        for line in Path("/proc/self/status").read_text().splitlines()
        if line.startswith("VmHWM")
    )
    peak = (
        int(line.split()[1]) / 1024
    )  # of kB; a process that starts another one hands its own peak on
    assert peak / 2 < cost({}, "", store, {}, 4)["peak_memory_mb"] < 100 * peak


def test_what_a_machine_decides_is_no_part_of_the_hash(tmp_path):
    path, seen = tmp_path / "config.yaml", []
    for text in (
        "{seed: 1, given: [fuser=rrf]}",
        "{seed: 1, paths: {runs: x}, device: cpu, given: [paths.runs=x, fuser=rrf, device=cpu]}",
        "{seed: 1, given: [fuser=linear]}",
        "{seed: 2, given: [fuser=rrf]}",
    ):
        path.write_text(text)
        seen.append(file_hash(path))
    assert seen[0] == seen[1]
    assert len(set(seen)) == 3


def test_what_is_measured_is_no_part_of_the_hash(tmp_path):
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps({"n": 3, "seconds": 1.0, "cost": {"peak_memory_mb": 1}}))
    before = file_hash(path)
    path.write_text(json.dumps({"n": 3, "seconds": 2.0, "machine": {"hardware": {}}}))
    assert file_hash(path) == before
    path.write_text(json.dumps({"n": 4, "seconds": 2.0, "cost": {"peak_memory_mb": 2}}))
    assert file_hash(path) != before
