"""The lists of a configuration: each retriever's run over the benchmark, read from artifacts where they exist."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.artifacts import Store
from harness.benchmark import Benchmark
from harness.configuration import instantiate
from harness.identity import identity
from harness.retriever import Retriever, retrieve
from harness.run import Run

if TYPE_CHECKING:
    from omegaconf import DictConfig


def store(config: DictConfig) -> Store:
    """Where this configuration keeps its artifacts."""
    return Store(Path(config.paths.runs))


def benchmark(config: DictConfig) -> Benchmark:
    """The configuration's benchmark."""
    loaded: Benchmark = instantiate(config.dataset).load(store(config))
    return loaded


def retrievers(config: DictConfig) -> dict[str, Retriever]:
    """The retriever of every list. A list that is given as a path is that run file."""
    return {
        str(name): instantiate(
            {"_target_": "harness.retriever.trec.Trec", "path": node} if isinstance(node, str) else node
        )
        for name, node in config.lists.items()
    }


def runs(retrievers: Mapping[str, Retriever], data: Benchmark, kept: Store) -> dict[str, Run]:
    """Every list's run over all queries of the benchmark."""
    return {name: retrieve(retriever, data, kept) for name, retriever in retrievers.items()}


def identities(retrievers: Mapping[str, Retriever]) -> dict[str, Any]:
    """What makes each list what it is, by name."""
    return {name: identity(retriever) for name, retriever in retrievers.items()}
