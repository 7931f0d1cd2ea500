"""A graph over entities and passages: sparse matrices by type of edge, and statistics of their
sizes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from harness.core.arrays import Int64Array, distinct
from harness.graph.extractor import Extraction, Mentions, Triples
from harness.graph.extractor.extraction import KINDS


@dataclass(frozen=True, eq=False)
class Network:
    """E entities and D passages. All matrices are CSR, float32, with ascending indices.

    Attributes:
        names: the entities' normalised names.
        about: [E, D], 1 if the entity's name is the passage's title.
        context: by kind of mention, [E, D], how often the passage mentions the entity in that way.
            A passage's own title is no edge.
        relation: [E, E], number of passages in which a triple joins the two; symmetric, without
            self-loops.
        synonym: [E, E], cosine of the two names if it reaches the threshold; symmetric, without
            self-loops.
    """

    names: Sequence[str]
    about: sp.csr_array
    context: Mapping[str, sp.csr_array]
    relation: sp.csr_array
    synonym: sp.csr_array

    @property
    def mentions(self) -> sp.csr_array:
        """[E, D], mentions of any kind."""
        total = sp.csr_array(self.about.shape, dtype=np.float32)
        for matrix in self.context.values():
            total = total + matrix
        return sp.csr_array(total)

    def save(self, folder: Path) -> None:
        """Write all matrices below ``folder``."""
        (folder / "names.json").write_text(
            json.dumps(list(self.names), ensure_ascii=False, indent=0) + "\n"
        )
        for name, matrix in self.matrices().items():
            sp.save_npz(folder / f"{name}.npz", matrix, compressed=False)

    @classmethod
    def load(cls, folder: Path) -> Network:
        """Read the files of ``save``."""

        def matrix(name: str) -> sp.csr_array:
            return sp.csr_array(sp.load_npz(folder / f"{name}.npz"))

        names = json.loads((folder / "names.json").read_text())
        context = {kind: matrix(f"context-{kind}") for kind in KINDS}
        return cls(names, matrix("about"), context, matrix("relation"), matrix("synonym"))

    def matrices(self) -> dict[str, sp.csr_array]:
        """Return every matrix by its name."""
        context = {f"context-{kind}": matrix for kind, matrix in self.context.items()}
        return {"about": self.about, **context, "relation": self.relation, "synonym": self.synonym}

    def facts(self) -> dict[str, object]:
        """Return sizes, edges by type, degrees, isolated shares and components, for a comparison
        with published graphs.
        """
        entities, passages = self.about.shape
        between = self.relation + self.synonym
        joined = self.mentions + self.about
        whole = sp.csr_array(sp.block_array([[between, joined], [joined.T, None]]))
        degree = np.diff(whole.indptr)
        count, component = sp.csgraph.connected_components(whole, directed=False)
        sizes = np.bincount(component, minlength=1)
        symmetric = ("relation", "synonym")
        return {
            "entities": entities,
            "passages": passages,
            "edges": {
                name: m.nnz // (2 if name in symmetric else 1)
                for name, m in self.matrices().items()
            },
            "entity_degree": _spread(degree[:entities]),
            "passage_degree": _spread(degree[entities:]),
            "isolated_entities": _isolated(degree[:entities]),
            "isolated_passages": _isolated(degree[entities:]),
            "components": int(count),
            "largest_component": round(float(sizes.max() / max(1, len(degree))), 6),
        }


def _isolated(degree: NDArray[Any]) -> float:
    return round(float((degree == 0).mean()), 6) if degree.size else 0.0


def _spread(degree: NDArray[Any]) -> dict[str, float]:
    if not degree.size:
        return {"mean": 0.0, "median": 0.0, "p90": 0.0, "max": 0.0}
    return {
        "mean": round(float(degree.mean()), 4),
        "median": float(np.median(degree)),
        "p90": float(np.percentile(degree, 90)),
        "max": float(degree.max()),
    }


def about(extraction: Extraction) -> sp.csr_array:
    """Return [E, D], from the passages' titles."""
    titled = np.flatnonzero(extraction.titled >= 0)
    return count_matrix(
        extraction.titled[titled], titled, (len(extraction.names), len(extraction.titled))
    )


def context(extraction: Extraction) -> dict[str, sp.csr_array]:
    """Return [E, D] by kind, without a passage's mentions of its own title."""
    mentions: Mentions = extraction.passages
    passage = mentions.text
    other = extraction.titled[passage] != mentions.entity
    shape = (len(extraction.names), len(extraction.titled))
    matrices = {}
    for number, kind in enumerate(KINDS):
        keep = np.flatnonzero(other & (mentions.kind == number))
        matrices[kind] = count_matrix(mentions.entity[keep], passage[keep], shape)
    return matrices


def relation(extraction: Extraction) -> sp.csr_array:
    """Return [E, E], the number of passages in which a triple joins two entities in either
    direction, without self-loops.
    """
    joined, size = _edges(extraction.triples), len(extraction.names)
    upper = count_matrix(joined[:, 0], joined[:, 1], (size, size))
    return upper + upper.T


def count_dropped_triples(extraction: Extraction) -> dict[str, int]:
    """Return the number of triples that make no edge of their own.

    ``self_loops`` join an entity with itself. ``duplicates`` join two entities that another triple
    of the same passage joins.
    """
    triples = extraction.triples
    loops = int((triples.subject == triples.object).sum())
    return {"self_loops": loops, "duplicates": len(triples.subject) - loops - len(_edges(triples))}


def _edges(triples: Triples) -> Int64Array:
    """Return int64[n, 3], the distinct pairs of different names that triples of each passage
    join.
    """
    joins = triples.joins()
    return np.unique(joins[joins[:, 0] != joins[:, 1]], axis=0)


def count_statements(extraction: Extraction) -> dict[str, int]:
    """Return the number of ``all`` triples, ``distinct`` ones (subject, predicate and object),
    ``predicates``, ``pairs`` of different joined entities, and ``entities``.
    """
    triples = extraction.triples
    columns = np.stack([triples.subject, triples.predicate, triples.object], axis=1)
    ends = np.sort(columns[:, ::2], axis=1)
    pairs = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    return {
        "all": len(columns),
        "distinct": len(np.unique(columns, axis=0)),
        "predicates": len(distinct(triples.predicate)),
        "pairs": len(pairs),
        "entities": len(distinct(ends.ravel())),
    }


def count_matrix(rows: NDArray[Any], columns: NDArray[Any], shape: tuple[int, int]) -> sp.csr_array:
    """Return how often each (row, column) occurs."""
    matrix = sp.coo_array((np.ones(len(rows), np.float32), (rows, columns)), shape=shape).tocsr()
    matrix.sort_indices()
    return matrix
