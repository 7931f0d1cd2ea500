"""Chroma, embedded: the vector database of the Dice-Sorensen hybrid (extra ``stores``)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.core.arrays import Float32Array
from harness.core.configuration.extras import need
from harness.core.errors import check_fields
from harness.plugins.dice.vectorstore import Search, rank_candidates


@dataclass(frozen=True)
class Chroma:
    """A collection in memory with an approximate HNSW index (Malkov and Yashunin 2018).

    Args:
        links: M, neighbours of a node, >= 2.
        build: ef of construction, >= 2.
        look: ef of search, >= 2.
    """

    links: int = 32
    build: int = 200
    look: int = 200

    def __post_init__(self) -> None:
        check_fields(
            "vectorstore",
            self,
            links="whole [2, inf)",
            build="whole [2, inf)",
            look="whole [2, inf)",
        )

    @contextlib.contextmanager
    def open(self, vectors: Float32Array) -> Iterator[Search]:
        """Load the vectors and yield their search. See ``Vectorstore``."""
        chromadb = need("chromadb", "vectorstore=chroma", "stores")
        settings = chromadb.config.Settings(anonymized_telemetry=False)
        client = chromadb.EphemeralClient(settings)
        name = f"harness-{id(vectors):x}"
        shape = {
            "space": "ip",
            "max_neighbors": self.links,
            "ef_construction": self.build,
            "ef_search": self.look,
        }
        collection = client.create_collection(
            name, configuration={"hnsw": shape}, embedding_function=None
        )
        try:
            step = client.get_max_batch_size()
            for start in range(0, len(vectors), step):
                part = vectors[start : start + step]
                collection.add(
                    ids=[str(start + place) for place in range(len(part))],
                    embeddings=np.ascontiguousarray(part),
                )

            def near(question: Float32Array, width: int) -> list[int]:
                answer: Any = collection.query(
                    query_embeddings=[question], n_results=width, include=[]
                )
                return [int(name) for name in answer["ids"][0]]

            yield lambda questions, depth: rank_candidates(vectors, questions, depth, near)
        finally:
            client.delete_collection(name)
