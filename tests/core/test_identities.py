"""Identities that artifacts and locks were stored under; neither a move nor a rename may change one.

``identities.json`` was written before the rooms were built: the digest of every strategy of conf/, and the keys of all
artifacts of a sweep of ``sample`` and of 2Wiki. Who changes what a strategy computes raises its ``version`` and
replaces its line, which is a decision and no accident. A new stage or strategy adds one.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from harness.core.configuration import compose, instantiate, names
from harness.core.configuration.rooms import PACKAGE
from harness.core.identity import digest
from harness.sweep.trial import lists
from harness.work.store import Store

STORED: dict[str, Any] = json.loads((Path(__file__).parent / "identities.json").read_text())
WHOLE = ("normalizer", "temperature", "fuser", "reranker", "encoder", "extractor", "graph")
NEEDS_MORE = {("extractor", "llm"), ("extractor", "openie_file"), ("gate", "llm"), ("reader", "llm")}


def digests() -> dict[str, str]:
    """The digest of each strategy with the defaults of its file."""
    found = {}
    for concept in (*WHOLE, "retriever", "gate", "alias", "triplestore", "vectorstore", "policy"):
        for name in names(concept):
            if (concept, name) in NEEDS_MORE or name in ("fitted", "part", "trec"):
                continue
            if concept in WHOLE:
                node = compose("config", [f"{concept}={name}"])[concept]
            elif concept == "policy":
                node = compose("config", ["retriever@lists.graph=policyrag", f"policy@lists.graph.policy={name}"])
                node = node.lists.graph
            else:
                node = compose("config", [f"+{concept}@lists.x={name}"]).lists.x
            found[f"{concept}={name}"] = digest(instantiate(node))
    return found


def test_strategies_are_what_they_were() -> None:
    now = digests()
    stored = {name: one for name, one in STORED["strategies"].items() if name in now or (PACKAGE / "papers").is_dir()}
    assert {name: now.get(name) for name in stored} == stored


def keys(dataset: str, runs: Path) -> dict[str, list[str]]:
    config = compose("config", [f"dataset={dataset}", f"paths.runs={runs}"])
    store = Store(runs)
    lists.runs(lists.retrievers(config), lists.benchmark(config), store)
    manifests = sorted((runs / "artifacts").glob("*/*/manifest.json"))
    found: dict[str, list[str]] = {}
    for path in manifests:
        found.setdefault(path.parts[-3], []).append(path.parts[-2])
    return found


REAL = pytest.mark.skipif("HARNESS_DATA" not in os.environ, reason="HARNESS_DATA names no prepared benchmarks")


@pytest.mark.parametrize("dataset", ["sample", pytest.param("2wikimultihopqa", marks=[pytest.mark.slow, REAL])])
def test_artifacts_have_the_keys_they_had(dataset: str, tmp_path: Path) -> None:
    assert keys(dataset, tmp_path) == STORED["artifacts"][dataset]
