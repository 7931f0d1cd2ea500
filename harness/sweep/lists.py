"""The lists of a configuration: each retriever's run over the benchmark, read from artifacts where they exist."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.artifacts import Store
from harness.benchmark import Benchmark
from harness.configuration import instantiate
from harness.graph import Graph
from harness.identity import identity
from harness.retriever import Retriever, retrieve
from harness.run import Run
from harness.seeding import Seeding

if TYPE_CHECKING:
    from omegaconf import DictConfig
    from scipy.sparse import csr_array


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


def graphs(retrievers: Mapping[str, Retriever]) -> dict[str, Graph]:
    """The graph of every list whose retriever walks one."""
    found = {name: getattr(retriever, "graph", None) for name, retriever in retrievers.items()}
    return {name: graph for name, graph in found.items() if isinstance(graph, Graph)}


def seeding(config: DictConfig, data: Benchmark, kept: Store) -> Seeding:
    """What the benchmark's questions start from under the policy ``seeds`` of the configuration."""
    from harness.policy.execution import start

    policed = instantiate(config.seeds)
    return start(policed.policy, policed.graph, policed.encoder, data, kept)


def mentions(graphs: Mapping[str, Graph], data: Benchmark, kept: Store) -> dict[str, csr_array]:
    """Sparse [D, E] by list: which passage mentions which entity in the list's graph."""
    from scipy.sparse import csr_array

    return {
        name: csr_array(graph.build(data, kept)[0].mentions.T.tocsr(), dtype=np.float64)
        for name, graph in graphs.items()
    }
