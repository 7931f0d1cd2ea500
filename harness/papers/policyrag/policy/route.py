"""By which paths a question's restart reaches a passage under a policy."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from harness.benchmark import Benchmark
from harness.graph.trail import Node, Path
from harness.papers.policyrag.policy.execution import PolicyStart
from harness.papers.policyrag.policy.memory import TypedMemory
from harness.papers.policyrag.policy.policy import Policy
from harness.retriever.pagerank import strongest_walks

SHOWN = 70
"""Letters of a fact that are told."""


def find_paths(
    policy: Policy, started: PolicyStart, benchmark: Benchmark, query: int, docs: list[int], count: int
) -> dict[int, list[Path]]:
    """The strongest paths to each passage from different seeds; a path's strength is what it adds to the term walk.

    A path goes over T and ends with the projection, whose edge weighs the incidence over length^beta IPF^gamma.
    """
    kept, walk = started.memory, policy.traverse
    if walk.alpha >= 1:
        return {doc: [] for doc in docs}
    entities, passages = kept.context.shape
    held, norm, onward = policy.project.held(kept), policy.project.norm(kept), walk.transition(kept)
    restart = np.concatenate([started.restart[[query]].toarray()[0], [0.0]])
    found = {}
    for doc in docs:
        row = sp.csr_array(held[[doc]])
        ends = np.concatenate([row.indices, [entities + doc]])
        shares = np.concatenate([row.data, [1.0]]) / (1 - walk.alpha)  # no restart on the projection's edge
        last = sp.csr_array(sp.coo_array((shares, (ends, np.zeros_like(ends))), shape=(entities + passages, 1)))
        whole = sp.csr_array(sp.block_array([[onward, last], [None, sp.csr_array((1, 1))]]))
        found[doc] = [
            Path(*_name_path(kept, benchmark, nodes[:-1], doc), strength / float(norm[doc]))
            for nodes, strength in strongest_walks(whole, restart, walk.alpha, entities + passages, count)
        ]
    return found


def _name_path(
    memory: TypedMemory, benchmark: Benchmark, nodes: list[int], doc: int
) -> tuple[tuple[Node, ...], tuple[str, ...]]:
    size = len(memory.names)
    whole = nodes if nodes[-1] == size + doc else [*nodes, size + doc]
    links = tuple(_bond(memory, benchmark, one, other) for one, other in pairwise(whole))
    return tuple(Node.of(memory.names, number) for number in whole), links


def _bond(memory: TypedMemory, benchmark: Benchmark, one: int, other: int) -> str:
    size = len(memory.names)
    if one >= size:
        return "names"
    if other >= size:
        return "is the title of" if memory.titled[other - size] == one else "is named in"
    words = []
    if memory.joined[one, other]:
        fact = _fact(memory, one, other)
        text = memory.facts.text(fact)
        short = text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."
        words.append(f"{short} [{benchmark.doc_ids[int(memory.facts.passage[fact])]}]")
    if memory.alike[one, other]:
        words.append(f"is like ({memory.alike[one, other]:.2f})")
    return ", ".join(words)


def _fact(memory: TypedMemory, one: int, other: int) -> int:
    """The first fact that joins two entities."""
    facts = memory.facts
    owner = np.repeat(np.arange(len(facts)), np.diff(facts.indptr))
    forth = (facts.subject[owner] == one) & (facts.object == other)
    back = (facts.subject[owner] == other) & (facts.object == one)
    return int(owner[np.flatnonzero(forth | back)[0]])
