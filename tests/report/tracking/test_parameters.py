from __future__ import annotations

import pytest
import yaml

from harness.report.tracking.entry import parameters_of, scores
from harness.report.tracking.parameters import LONGEST, metric_name, numbers, pipeline, shortened

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
    assert parameters_of({"parameters": values}) == {
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
    row = {"name": "x", "last_hop@5": 2 / 3, "wins": 3, "losses": None, "p": 1 / 3, "other": 1.0}
    wanted = ["last_hop@5", "wins", "losses", "p", "wilson"]
    assert scores({**row, "wilson": [0.4, 0.9]}, wanted) == {
        "last_hop_at_5": 0.6667,
        "wins": 3.0,
        "p": 0.333333,
        "wilson_low": 0.4,
        "wilson_high": 0.9,
    }
    assert dict(numbers("", {"a": {"b": [1, 2, 3]}, "c": "7", "d": float("nan")})) == {}


@pytest.mark.parametrize(("metric", "name"), [("last_hop@5", "last_hop_at_5"), ("mrr", "mrr")])
def test_metric_names(metric: str, name: str) -> None:
    from mlflow.utils.validation import _validate_metric_name

    assert metric_name(metric) == name
    _validate_metric_name(name)
