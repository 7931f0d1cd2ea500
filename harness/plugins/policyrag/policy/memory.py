"""The typed memory: entities and passages, joined by separate families of edges; read-only."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from harness.benchmark import Benchmark
from harness.benchmark.text import words
from harness.core.arrays import (
    Float64Array,
    Int32Array,
    Int64Array,
    check_array,
    read_arrays,
    read_matrix,
)
from harness.core.identity import identity
from harness.graph import Graph, Network
from harness.graph.extractor import Extraction
from harness.plugins.policyrag.policy.fact import Facts, make_facts
from harness.retriever.walk import normalize_rows
from harness.work.store import Store

VERSION = 1


@dataclass(frozen=True, eq=False)
class TypedMemory:
    """The read-only memory of E entities and D passages.

    The operators ``relation`` (A_r), ``synonym`` (A_s), ``onward`` (T_E->P) and ``back`` (T_P->E)
    are row-stochastic; a row without an edge is empty. ``relation`` and ``synonym`` are
    proportional to ``joined`` and ``alike``.

    Args:
        names: of the entities.
        titled: int32[D], the entity that is a passage's title, or -1.
        context: [E, D], B of the paper: 1 if the passage mentions the entity or has it as title.
        joined: [E, E], number of passages with a fact that joins two entities.
        alike: [E, E], the cosines of synonyms.
        length: float64[D], words of a passage over the mean of all.
        facts: the statements of relation edges.
    """

    names: Sequence[str]
    titled: Int32Array
    context: sp.csr_array
    joined: sp.csr_array
    alike: sp.csr_array
    length: Float64Array
    facts: Facts

    @cached_property
    def relation(self) -> sp.csr_array:
        """[E, E], A_r."""
        return freeze(normalize_rows(self.joined))

    @cached_property
    def synonym(self) -> sp.csr_array:
        """[E, E], A_s."""
        return freeze(normalize_rows(self.alike))

    @cached_property
    def onward(self) -> sp.csr_array:
        """[E, D], T_E->P."""
        return freeze(normalize_rows(self.context))

    @cached_property
    def back(self) -> sp.csr_array:
        """[D, E], T_P->E."""
        return freeze(normalize_rows(sp.csr_array(self.context.T)))

    @cached_property
    def frequency(self) -> Int64Array:
        """int64[E], number of passages that hold an entity, >= 1."""
        return np.asarray(np.maximum(np.diff(self.context.indptr), 1), dtype=np.int64)

    @cached_property
    def breadth(self) -> Int64Array:
        """int64[E], number of passages with the name as title, or of its synonyms, whichever is
        greater.
        """
        titles = np.bincount(self.titled[self.titled >= 0], minlength=len(self.names))
        return np.asarray(np.maximum(titles, np.diff(self.alike.indptr)), dtype=np.int64)

    @cached_property
    def ipf(self) -> Float64Array:
        """float64[D], sum over a passage's entities of ln(1 + D / passages that hold it), over the
        mean.

        The paper says only that IPF(p) "denotes specificity" and that dividing by it corrects the
        frequency bias of the projection, which adds up over all mentions of a passage. A mean over
        its entities would favour passages of generic ones, so it is the sum here. A passage without
        entities has 1.
        """
        rare = np.log1p(self.context.shape[1] / self.frequency)
        total = np.asarray(self.context.T @ rare)
        return np.where(total > 0, total / (total[total > 0].mean() if total.any() else 1.0), 1.0)

    def save(self, folder: Path) -> None:
        """Write everything below ``folder``."""
        (folder / "names.json").write_text(
            json.dumps(list(self.names), ensure_ascii=False, indent=0) + "\n", "utf-8"
        )
        np.savez(folder / "passages.npz", titled=self.titled, length=self.length)
        for name in FAMILIES:
            sp.save_npz(folder / f"{name}.npz", getattr(self, name), compressed=False)
        self.facts.save(folder)

    @classmethod
    def load(cls, folder: Path) -> TypedMemory:
        """Read the memory that ``save`` wrote."""
        names = json.loads((folder / "names.json").read_text("utf-8"))
        context = read_matrix(folder / "context.npz", (len(names), None))
        between = {
            name: read_matrix(folder / f"{name}.npz", (len(names), len(names)))
            for name in ("joined", "alike")
        }
        families = {
            name: freeze(matrix) for name, matrix in {"context": context, **between}.items()
        }
        path, count = folder / "passages.npz", context.shape[1]
        found = read_arrays(path)
        passages = {name: found.get(name, np.empty(0)) for name in ("titled", "length")}
        check_array(passages["titled"], f"{path}, titled", np.int32, (count,), -1, len(names) - 1)
        check_array(passages["length"], f"{path}, length", np.float64, (count,), 0, np.inf)
        for array in passages.values():
            array.setflags(write=False)
        return cls(names=names, facts=Facts.load(folder, len(names), count), **families, **passages)

    def sizes(self) -> dict[str, object]:
        """Return the numbers of entities, passages, facts, and edges by family, each
        counted once.
        """
        edges = {
            name: int(getattr(self, name).nnz) // (1 if name == "context" else 2)
            for name in FAMILIES
        }
        return {
            "entities": len(self.names),
            "passages": len(self.titled),
            "facts": len(self.facts),
            "edges": edges,
        }


FAMILIES = ("context", "joined", "alike")


def freeze(matrix: sp.csr_array) -> sp.csr_array:
    """Return the matrix with ascending indices and read-only arrays."""
    matrix.sort_indices()
    for array in (matrix.data, matrix.indices, matrix.indptr):
        array.setflags(write=False)
    return matrix


def compile_memory(network: Network, extraction: Extraction, benchmark: Benchmark) -> TypedMemory:
    """Return the memory of a graph and of its extraction."""
    context = sp.csr_array(network.mentions + network.about, dtype=np.float64)
    context.data[:] = 1
    count = np.array([len(words(text).texts) for text in benchmark.passages], dtype=np.float64)
    found = make_facts(extraction, benchmark)
    return TypedMemory(
        network.names,
        extraction.titled,
        context,
        found.joined(len(network.names)),
        sp.csr_array(network.synonym, dtype=np.float64),
        np.maximum(count, 1) / max(count.mean(), 1) if len(count) else count,
        found,
    )


def load_memory(graph: Graph, benchmark: Benchmark, store: Store) -> TypedMemory:
    """Return the stored memory of a benchmark under a graph, compiled if it is missing."""

    def build(folder: Path) -> Mapping[str, object]:
        made = compile_memory(*graph.build(benchmark, store), benchmark)
        made.save(folder)
        return made.sizes()

    config = {"graph": identity(graph), "version": VERSION}
    return TypedMemory.load(
        store.get("memory", config, {"benchmark": benchmark.sha256}, build).path
    )
