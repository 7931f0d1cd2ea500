from __future__ import annotations

import pytest
import yaml

from harness.evaluation.paired_comparison import Outcome
from harness.report.tracking.entry import parameters_of, scores
from harness.report.tracking.parameters import LONGEST, key_name, numbers, pipeline, shortened
from tests.judged import judged

CONFIG = yaml.safe_load("""
dataset:
  {_target_: harness.dataset.sample.Sample, passages: 2000, data: "${paths.data}",
    key: "${oc.env:SECRET}"}
encoder: &encoder
  {_target_: harness.encoder.sentence_transformer.SentenceTransformer, model: nv, batch_size: 8}
graph:
  {_target_: harness.graph.entity.Entity, encoder: *encoder, extractor: "${extractor}",
    synonym: 0.85, alias: {}}
extractor:
  {_target_: harness.extractor.offline.Offline, model: sm, folder: "${paths.data}/x"}
fuser: {_target_: harness.fuser.boltzmann.Boltzmann, alpha: 0.7}
objective: last_hop@5
margin: 0.02
""")
LISTS = {
    "dense": {"_target_": "harness.retriever.dense.Dense", "depth": 10, "device": "cpu"},
}


def test_every_knob_of_the_pipeline_under_the_name_that_is_typed() -> None:
    manifest = {"dataset": "sample", "split": "tune", "n": 294, "lists": LISTS}
    assert pipeline(CONFIG, manifest) == {
        "dataset": "sample",
        "dataset.passages": "2000",
        "encoder": "sentence_transformer",
        "encoder.model": "nv",
        "extractor": "offline",
        "extractor.model": "sm",
        "graph": "entity",
        "graph.extractor": "offline",
        "graph.encoder": "sentence_transformer",
        "graph.synonym": "0.85",
        "lists.dense": "dense",
        "lists.dense.depth": "10",
        "objective": "last_hop@5",
        "margin": "0.02",
        "split": "tune",
        "n": "294",
    }


def test_a_trials_knobs_are_typed() -> None:
    values = {"fuser.alpha": 0.1 + 0.2, "pool.cap": 20, "x": True, "y": None, "z": ["a", "b"]}
    assert parameters_of(judged("a", parameters=values)) == {
        "fuser.alpha": "0.30000000000000004",
        "pool.cap": "20",
        "x": "true",
        "y": "null",
        "z": '["a", "b"]',
    }


def test_a_long_parameter_is_shown_by_its_hash() -> None:
    short = shortened({"a": "x" * LONGEST, "b": "x" * (LONGEST + 1)})
    assert short["a"] == "x" * LONGEST
    assert short["b"].startswith("sha256:")
    assert short["b"] != shortened({"b": "y" * (LONGEST + 1)})["b"]


def test_metrics_with_their_bounds() -> None:
    outcome = Outcome(3, 0, None, None, None, 1 / 3, None, None)
    row = judged(
        "x",
        scores={"last_hop@5": 2 / 3, "mrr": 1.0},
        outcomes={"dense": outcome},
        wilson=[0.4, 0.9],
    )
    wanted = ["last_hop@5", "wins", "losses", "low", "p", "wilson"]
    assert scores(row, wanted) == {
        "last_hop@5": 2 / 3,
        "wins": 3.0,
        "losses": 0.0,
        "p": 1 / 3,
        "wilson_low": 0.4,
        "wilson_high": 0.9,
    }
    assert dict(numbers("", {"a": {"b": [1, 2, 3]}, "c": "7", "d": float("nan")})) == {}


NAMES = {
    "last_hop@5": "last_hop_at_5",
    "mrr": "mrr",
    "lists.bm25+rm3": "lists.bm25_x2B_rm3",
    "lists.BM25 (k1=0.9)": "lists.BM25 _x28_k1_x3D_0.9_x29_",
    "lists.tf,idf": "lists.tf_x2C_idf",
    "team/own": "team/own",
    "/a//b/": "_x2F_a_x2F_/b_x2F_",
    "Müller's": "Müller_x27_s",
}


@pytest.mark.parametrize(("given", "name"), NAMES.items())
def test_names_of_keys(given: str, name: str) -> None:
    from mlflow.utils.validation import _validate_metric_name

    assert key_name(given) == name
    _validate_metric_name(name)


def test_a_long_key_is_cut_and_stays_apart() -> None:
    first, second = (key_name("+" * 99 + end) for end in "ab")
    assert len(first) == LONGEST
    assert first != second
