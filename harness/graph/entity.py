"""The entity graph: passages, the entities that they mention or are about, relations and synonyms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from harness.artifacts import Artifact, Store
from harness.benchmark import Benchmark
from harness.encoder import Encoder, embed
from harness.errors import bounded
from harness.extractor import Extraction, Extractor
from harness.extractor import artifact as extraction_artifact
from harness.graph.network import Network, about, context, counted, pruned, relation
from harness.graph.synonym import synonyms
from harness.identity import identity


@dataclass(frozen=True)
class Entity:
    """Nodes are the extractor's entities and the passages.

    encoder: embeds the names.    synonym: least cosine of two names' embeddings for a synonym edge, in [0, 1]; ``null``
    for no such edges.
    """

    version: ClassVar[int] = 1
    extractor: Extractor
    encoder: Encoder
    synonym: float | None = 0.85

    def __post_init__(self) -> None:
        if self.synonym is not None:
            bounded("graph.synonym", self.synonym, 0, 1)

    def artifact(self, benchmark: Benchmark, store: Store) -> Artifact:
        """The stored graph of a benchmark, with its statistics as facts; built when it is not there."""
        source = extraction_artifact(self.extractor, benchmark, store)

        def build(folder: Path) -> Mapping[str, Any]:
            extraction = Extraction.load(source.path)
            network = self.connect(extraction, store)
            network.save(folder)
            return {**network.facts(), "pruned": pruned(extraction)}

        return store.get("graph", identity(self), {"extraction": source.key, "benchmark": benchmark.sha256}, build)

    def build(self, benchmark: Benchmark, store: Store) -> tuple[Network, Extraction]:
        """The graph of a benchmark and the extraction that it was made from (provenance, the questions' mentions)."""
        source = extraction_artifact(self.extractor, benchmark, store)
        return Network.load(self.artifact(benchmark, store).path), Extraction.load(source.path)

    def connect(self, extraction: Extraction, store: Store) -> Network:
        """The graph of an extraction."""
        size = len(extraction.names)
        similar = counted(np.empty(0, np.int64), np.empty(0, np.int64), (size, size))
        if self.synonym is not None and size:
            similar = synonyms(np.asarray(embed(self.encoder, extraction.names, "name", store)), self.synonym)
        return Network(extraction.names, about(extraction), context(extraction), relation(extraction), similar)
