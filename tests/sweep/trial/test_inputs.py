"""The retrievers of a configuration's lists."""

from __future__ import annotations

import copy
import functools
import json
import random
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from omegaconf import DictConfig, OmegaConf

from harness.benchmark import md5_split
from harness.benchmark.source.records import read_lines
from harness.core.configuration.composition import compose
from harness.core.errors import HarnessError
from harness.evaluation.metric.measure import last_hop
from harness.report.table.sweep_tables import build_tables
from harness.run import Run, io
from harness.sweep.folder.result import SweepResult
from harness.sweep.protocol import run_heldout
from harness.sweep.trial.inputs import graphs_read, retrievers
from harness.sweep.trial.plan import Plan
from tests import process
from tests.world.generate import write


@pytest.mark.parametrize("name", ["graph", "walks"])
def test_a_wrong_knob_is_said_under_the_name_that_its_list_has(name: str) -> None:
    given = [
        f"{'' if name == 'graph' else '+'}retriever@lists.{name}=ppr",
        f"lists.{name}.restart=2",
    ]
    with pytest.raises(HarnessError, match=rf"^lists\.{name}\.restart.*\(0, 1\], got restart=2"):
        retrievers(compose(overrides=given))


def test_what_needs_an_order_of_hops_is_left_out_or_refused(
    caplog: pytest.LogCaptureFixture,
) -> None:
    asked = ["objective=recall@5", "metrics=[last_hop@5,recall@5,last_hop@10]"]
    data: Any = SimpleNamespace(name="mine", ids_only=False)
    plan = Plan(compose("config", asked), ()).without_order(data, "tune")
    assert plan.metrics == ["recall@5"]
    assert (
        "mine: last_hop@5, last_hop@10 not measured, no tune question has a known order of hops"
        in caplog.text
    )
    with pytest.raises(HarnessError, match="objective=last_hop@5:"):
        Plan(compose("config"), ()).without_order(data, "tune")


LISTS = (
    "dataset=folder",
    "dataset.path=none",
    *(f"lists.{name}=none.trec" for name in ("dense", "graph", "bm25")),
)


@functools.cache
def composed() -> DictConfig:
    return compose("config", [*LISTS, "grid=point"])


def plan(key: str, value: object) -> Plan:
    config = copy.deepcopy(composed())
    OmegaConf.update(config, key, value, merge=False)
    return Plan(config, LISTS)


def test_graphs_are_described_where_a_table_asks_for_them() -> None:
    nobody: Any = None  # no benchmark is looked at
    assert Plan(composed(), LISTS).graphs(nobody) == {}


CONCEPTS = ["dataset", "fuser", "normalizer", "temperature", "reranker"]
NO_STRATEGY = [{}, {"a": {"b": 1}}, {"_target_": "x"}, {"_target_": []}, 5, "x", [[1]], None]


@pytest.mark.parametrize(
    ("key", "value"),
    [*((key, {"_target_": "x"}) for key in CONCEPTS), *(("fuser", one) for one in NO_STRATEGY)],
)
def test_no_strategy(key: str, value: object) -> None:
    with pytest.raises(HarnessError, match=rf"{key} =.*conf/.*e\.g\. {key}=NAME"):
        plan(key, value)


def test_no_lists() -> None:
    for value in (None, 5, [], {}, {"a": 1}):
        with pytest.raises(HarnessError, match=r"lists\.dense.*conf/.*"):
            plan("lists", {"dense": value})
    for value in ({}, None, 5, []):
        with pytest.raises(HarnessError, match=r"lists ="):
            plan("lists", value)
    for value in (None, -1, "dense", {"a": 1}, [[1]]):
        with pytest.raises(HarnessError, match=r"pool\.lists = .*, expected a list of names"):
            plan("pool.lists", value).trials()


def test_no_file_of_importance() -> None:
    for value in ([], {}, -1, True, "nowhere.json"):
        with pytest.raises(HarnessError, match=r"pool\.importance=.*: there is no such file"):
            plan("pool.importance", value).trials()


def test_a_folder_that_is_called_like_a_number(overrides, bench, tmp_path, monkeypatch):
    from harness.benchmark.dataset.folder import Folder
    from harness.work.store import Store

    (tmp_path / "2024").symlink_to(bench)
    monkeypatch.chdir(tmp_path)
    path = compose("config", [*overrides, "dataset.path=2024"]).dataset.path
    assert path == 2024
    assert len(Folder(path).load(Store(tmp_path / "runs")).query_ids) == 40


COLBERT = ["~lists.dense", "~lists.graph", "~lists.bm25", "lists.colbert=colbert.json"]
TWO = [*COLBERT, "lists.splade=splade.parquet"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark ``world`` and three files that find 60% of its gold each."""
    place = tmp_path_factory.mktemp("elsewhere")
    write(place / "world", 200)
    corpus, queries = (
        read_lines(place / "world" / f"{name}.jsonl.gz").values for name in ("corpus", "queries")
    )
    docs, rng = [row["id"] for row in corpus], random.Random(1)
    for name in ("colbert.json", "splade.parquet", "lexical.trec.gz"):
        found = {}
        for query in queries:
            gold = {doc for doc in query["supporting_ids"] if rng.random() < 0.6}
            listed = sorted({*rng.sample(docs, 20), *gold})
            found[query["id"]] = {doc: rng.random() for doc in listed}
        io.write(Run.from_dict(found), place / name)
    io.write(Run.from_dict({"other": {"doc": 1.0}}), place / "strange.json")
    return place


def sweep(folder: Path, *overrides: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    world = ("dataset=folder", "dataset.path=world", "tracking=none")
    done = process.harness("sweep", *world, *overrides, cwd=folder)
    assert done.returncode == status, done.stderr
    return done


def test_files_alone_are_swept_and_held_out_where_they_lie(folder: Path, tmp_path: Path) -> None:
    lists = [*TWO, "lists.lexical=lexical.trec.gz", "pool.lists=[colbert,splade,lexical]"]
    done = sweep(folder, *lists, "fuser=rrf")
    trials = pd.read_parquet(folder / done.stdout.splitlines()[-1] / "trials.parquet")
    assert {"colbert", "splade", "lexical", "rrf k=60"} <= set(trials["name"])
    assert {path.parent.name for path in (folder / "runs" / "artifacts").glob("*/*")} == {
        "ids",
        "list",
        "retrieve",
    }
    origin = "is relative to the folder that the sweep was made in: run it there, or sweep again"
    name = [f"sweep={Path(done.stdout.splitlines()[-1]).name}", f"paths.runs={folder}/runs"]
    for command in (["verify", "--rescore"], ["heldout"]):
        lost = process.harness(*command, *name, cwd=tmp_path)
        assert lost.returncode == 2
        assert "world: no such folder; expected corpus" in lost.stderr
        assert f"; world {origin}" in lost.stderr


@pytest.mark.parametrize(("given", "against"), [([], "colbert"), (["reference=splade"], "splade")])
def test_wins_are_counted_against_the_reference_and_tables_say_so(
    folder: Path, given: list[str], against: str
) -> None:
    done = sweep(folder, *TWO, "pool.lists=[colbert,splade]", "grid=point", *given)
    assert f"W, L: won, lost against {against};" in done.stdout
    place = folder / done.stdout.splitlines()[-1]
    trials = pd.read_parquet(place / "trials.parquet").set_index("name")
    other = {"colbert": "splade", "splade": "colbert"}[against]
    assert trials["wins"].isna().to_dict() == {name: name == against for name in trials.index}
    ranks = dict(zip(trials.index, np.load(place / "ranks.npy"), strict=True))
    hit = {name: last_hop(found, 5) for name, found in ranks.items()}
    assert trials.loc[other, "wins"] == ((hit[other] == 1) & (hit[against] == 0)).sum()
    assert json.loads((place / "winner.lock.json").read_text())["reference"] == against


def test_a_list_that_lacks_most_queries_is_warned_of_in_the_manifest_and_every_table(
    folder: Path,
) -> None:
    whole = json.loads((folder / "colbert.json").read_text())
    asked = sorted(query for query in whole if md5_split(query) == "tune")
    (folder / "few.json").write_text(json.dumps({query: whole[query] for query in asked[:3]}))
    lists = [*COLBERT, "lists.few=few.json", "pool.lists=[colbert,few]"]
    done = sweep(folder, *lists, "fuser=rrf")
    place = folder / done.stdout.splitlines()[-1]
    coverage = json.loads((place / "manifest.json").read_text())["coverage"]
    line = f"3 of {len(asked)} questions have a list"
    assert coverage["few"]["answered"] == 3
    assert (line in coverage["few"]["warnings"], coverage["colbert"]["warnings"]) == (True, [])
    assert f"caution: few: on tune only {line}." in done.stdout
    tables = build_tables(SweepResult(place))
    silent = [
        table.name for table in tables if f"Caution: few: on tune only {line}." not in table.caption
    ]
    assert silent == []


def test_a_list_of_tune_alone_is_warned_of_when_test_is_scored(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    whole = json.loads((folder / "colbert.json").read_text())
    tune = {query: found for query, found in whole.items() if md5_split(query) == "tune"}
    (folder / "tuned.json").write_text(json.dumps(tune))
    lists = [*COLBERT, "lists.tuned=tuned.json", "pool.lists=[colbert,tuned]", "fuser=rrf"]
    done = sweep(folder, *lists, f"paths.runs={tmp_path}")
    assert "caution: tuned" not in done.stdout
    line = f"tuned: on test only 0 of {len(whole) - len(tune)} questions have a list"
    result = run_heldout(
        Path(done.stdout.splitlines()[-1]), f"paths.ledger={tmp_path}/ledger.jsonl"
    )
    rows = [row for row in result.heldout if "tuned" in row["coverage"]]
    assert rows
    assert all(row["coverage"]["tuned"]["answered"] == 0 for row in rows)
    captions = [table.caption for table in build_tables(result)]
    assert [caption for caption in captions if f"Caution: {line}." in caption]


def test_alpha_is_the_share_of_the_reference_wherever_the_pool_has_it(folder: Path) -> None:
    places = []
    for pool in ("colbert,splade", "splade,colbert"):
        given = [f"pool.lists=[{pool}]", "reference=splade", "fuser=linear", "fuser.alpha=.8"]
        done = sweep(folder, *TWO, *given, "grid=point")
        places.append(folder / done.stdout.splitlines()[-1])
    first, second = (
        dict(zip(found.trials["family"], found.ranks, strict=True))
        for found in map(SweepResult, places)
    )
    assert np.array_equal(first["linear"], second["linear"])
    rows = [row for row in SweepResult(places[0]).whole.rows if row.family == "linear"]
    assert [row.parameters["reference"] for row in rows] == ["splade"]
    again = compose(overrides=list(rows[0].overrides))
    assert [trial.pool.reference for trial in Plan(again, tuple(rows[0].overrides)).trials()][
        -1
    ] == "splade"


def test_a_reference_that_is_no_list_is_refused(folder: Path) -> None:
    given = ["reference=colbrt", "lists.colbert=colbert.json", "dry_run=true"]
    done = sweep(folder, *given, status=2)
    assert "reference=colbrt is not known (did you mean colbert?)" in done.stderr


@pytest.mark.slow
def test_a_file_under_other_ids_costs_a_moment_and_builds_nothing(
    folder: Path, tmp_path: Path
) -> None:
    given = ["lists.colbert=strange.json", "pool.lists=[dense,colbert]"]
    done = sweep(folder, *given, f"paths.runs={tmp_path}", status=2)
    assert "strange.json and the benchmark world have no query in common" in done.stderr
    assert {path.name for path in (tmp_path / "artifacts").iterdir()} <= {"ids", "retrieve"}


def test_a_reader_of_mentions_needs_a_list_that_walks_a_graph(tmp_path):
    (tmp_path / "dense.trec").write_text("q Q0 d 1 1.0 s\n")
    config = OmegaConf.create({"lists": {"dense": str(tmp_path / "dense.trec")}})
    pool = SimpleNamespace(lists=("dense",))
    plain, reader = (
        SimpleNamespace(reranker=SimpleNamespace(reads=reads), pool=pool)
        for reads in (frozenset(), frozenset({"mentions"}))
    )
    assert graphs_read([plain], config) == {}
    with pytest.raises(HarnessError, match="add a list that walks a graph"):
        graphs_read([plain, reader], config)
