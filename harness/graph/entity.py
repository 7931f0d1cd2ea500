"""The entity graph: passages, the entities that they mention or are about, relations and
synonyms.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from harness.benchmark import Benchmark
from harness.core.artifact import Artifact, Facts
from harness.core.configuration import extensions
from harness.core.errors import bounded, one_of
from harness.core.identity import LATER, identity
from harness.graph.extractor import Extraction, Extractor, QuestionNames, extract, find_names
from harness.graph.extractor import artifact as extraction_artifact
from harness.graph.network import (
    Network,
    about,
    context,
    count_dropped_triples,
    count_matrix,
    count_statements,
    relation,
)
from harness.graph.synonym import synonyms
from harness.model.encoder import Encoder, embed
from harness.work.store import Store

EXACT = 250_000
"""Number of names up to which ``index: auto`` compares all pairs, which takes a minute of processor
time.
"""

INVERTED = ("synonym", "ivf")
"""The module of a plug-in that compares names by an inverted file."""


@dataclass(frozen=True)
class Entity:
    """A graph whose nodes are the extractor's entities in the passages, and the passages.

    Attributes:
        extractor: finds the entities.
        encoder: embeds their names.
        synonym: smallest cosine of two names' embeddings for a synonym edge, in [0, 1]; ``null``
            for no such edges.
        index: ``Flat`` compares all pairs of names. ``IVF``, an inverted file, compares each name
            with those of near lists and misses some synonyms; the facts hold its recall against
            ``Flat`` on a sample. ``auto`` is ``Flat`` for up to ``EXACT`` names, otherwise ``IVF``.
    """

    version = 2  # 2: names that only questions have are no nodes
    extractor: Extractor
    encoder: Encoder
    synonym: float | None = 0.85
    index: str = field(default="auto", metadata=LATER)

    def __post_init__(self) -> None:
        one_of("graph.index", self.index, ("auto", "Flat", "IVF"))
        if self.index == "IVF":
            extensions.load(*INVERTED, "graph.index=IVF")
        if self.synonym is not None:
            bounded("graph.synonym", self.synonym, 0, 1)

    def artifact(self, benchmark: Benchmark, store: Store) -> Artifact:
        """Return the stored graph of a benchmark, with its statistics as facts. Build it if it is
        missing.
        """
        source = extraction_artifact(self.extractor, benchmark, store)

        @functools.cache
        def connect() -> tuple[Network, Facts]:
            extraction = Extraction.load(source.path)
            network, compared = self.connect(extraction, store)
            return network, {
                **network.facts(),
                "triples": count_statements(extraction),
                "pruned": count_dropped_triples(extraction),
                **compared,
            }

        def build(folder: Path) -> Facts:
            network, facts = connect()
            network.save(folder)
            return facts

        inputs = {"extraction": source.key}
        return store.get("graph", identity(self), inputs, build, together=lambda _: connect())

    def build(self, benchmark: Benchmark, store: Store) -> tuple[Network, Extraction]:
        """Return the graph of a benchmark, and the extraction that it was made from."""
        network = Network.load(self.artifact(benchmark, store).path)
        return network, extract(self.extractor, benchmark, store)

    def find_names(self, benchmark: Benchmark, store: Store) -> QuestionNames:
        """Return the names that the extractor finds in the questions."""
        return find_names(self.extractor, benchmark, store)

    def connect(self, extraction: Extraction, store: Store) -> tuple[Network, dict[str, object]]:
        """Return the graph of an extraction, and facts about the index of names.

        If not all names were compared, the facts have ``synonym_index`` with its ``recall`` against
        all pairs of evenly chosen ``names``.
        """
        size, facts = len(extraction.names), dict[str, object]()
        similar = count_matrix(np.empty(0, np.int64), np.empty(0, np.int64), (size, size))
        if self.synonym is not None and size:
            vectors = embed(self.encoder, list(extraction.names), "name", store)
            if self.index == "Flat" or (self.index == "auto" and size <= EXACT):
                similar = synonyms(vectors, self.synonym)
            else:
                ivf = extensions.load(*INVERTED, f"graph.index={self.index} of {size:,} names")
                similar, facts["synonym_index"] = ivf.approximate_synonyms(vectors, self.synonym)
        network = Network(
            extraction.names, about(extraction), context(extraction), relation(extraction), similar
        )
        return network, facts
