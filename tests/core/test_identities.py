"""Identities that artifacts and locks were stored under; neither a move nor a rename may change
one.

``identities.json`` was written before the rooms were built: the digest of every strategy of conf/,
and the keys of all artifacts of a sweep of ``sample`` and of 2Wiki. Who changes what a strategy
computes raises its ``version`` and replaces its line, which is a decision and no accident. A new
stage or strategy adds one.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from harness.core.configuration import compose, instantiate, names
from harness.core.configuration.extensions import PLUGINS, missing_plugin
from harness.core.identity import digest
from harness.model.encoder.minilm import MiniLM
from harness.sweep.trial import lists
from harness.work.store import Store

STORED: dict[str, Any] = json.loads((Path(__file__).parent / "identities.json").read_text())
CONCEPTS = (
    "normalizer",
    "temperature",
    "fuser",
    "reranker",
    "encoder",
    "extractor",
    "graph",
    "retriever",
    "gate",
    "alias",
    "triplestore",
    "vectorstore",
    "policy",
)
NEEDS_MORE = {
    ("extractor", "llm"),
    ("extractor", "openie_file"),
    ("gate", "llm"),
    ("reader", "llm"),
}


def digests() -> dict[str, str]:
    """The digest of each strategy with the defaults of its file."""
    asked = [
        (concept, name)
        for concept in CONCEPTS
        for name in names(concept)
        if (concept, name) not in NEEDS_MORE and name not in ("fitted", "part", "trec")
    ]
    config = compose(
        "config", [text for concept, name in asked for text in _overrides(concept, name)]
    )
    return {
        f"{concept}={name}": digest(instantiate(config.lists.made[concept][name]))
        for concept, name in asked
    }


def _overrides(concept: str, name: str) -> list[str]:
    """What puts a strategy at ``made.<concept>.<name>``; a policy within the retriever that has
    one.
    """
    place = f"lists.made.{concept}.{name}"
    if concept == "policy":
        return [f"+retriever@{place}=policyrag", f"policy@{place}.policy={name}"]
    return [f"+{concept}@{place}={name}"]


def test_strategies_are_what_they_were() -> None:
    now = digests()
    stored = {
        name: one for name, one in STORED["strategies"].items() if name in now or not _is_gone(name)
    }
    assert {name: now.get(name) for name in stored} == stored


def _is_gone(name: str) -> bool:
    """Whether a plug-in that was deleted brought it."""
    return not PLUGINS.is_dir() or bool(missing_plugin(name.replace("=", "/")))


def keys(dataset: str, runs: Path) -> dict[str, list[str]]:
    config = compose("config", [f"dataset={dataset}", f"paths.runs={runs}"])
    store = Store(runs)
    lists.runs(lists.retrievers(config), lists.benchmark(config), store)
    manifests = sorted((runs / "artifacts").glob("*/*/manifest.json"))
    found: dict[str, list[str]] = {}
    for path in manifests:
        found.setdefault(path.parts[-3], []).append(path.parts[-2])
    return found


REAL = pytest.mark.skipif(
    "HARNESS_DATA" not in os.environ, reason="HARNESS_DATA names no prepared benchmarks"
)


class Drawn:
    """A model of any vectors: keys say what was asked for, not what was computed."""

    dimension = 384
    facts: Mapping[str, Any] = {}

    def encode(
        self, texts: Sequence[str], role: str, advance: Callable[[int], object]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        vectors = (
            np.random.default_rng(0)
            .standard_normal((len(texts), self.dimension))
            .astype(np.float32)
        )
        return vectors, np.zeros(len(texts), np.bool_)


@pytest.mark.parametrize(
    "dataset", ["sample", pytest.param("2wikimultihopqa", marks=[pytest.mark.slow, REAL])]
)
def test_artifacts_have_the_keys_they_had(
    dataset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MiniLM, "open", lambda encoder: Drawn())
    assert keys(dataset, tmp_path) == STORED["artifacts"][dataset]
