"""Triples that make no edge."""

import numpy as np

from harness.graph.extractor import Extraction, Mentions, Triples
from harness.graph.network import count_dropped_triples, relation


def test_self_loops_and_duplicates() -> None:
    """a - b in passages 0 (three times, both ways) and 2; b - c in 1; c - c in 1."""
    rows = [(0, 0, 0, 1), (0, 1, 0, 0), (0, 0, 1, 1), (2, 0, 0, 1), (1, 1, 0, 2), (1, 2, 1, 2)]
    none = Mentions.of([])
    extraction = Extraction(
        list("abc"), np.full(3, -1, np.int32), none, Triples.of(rows, ["p", "q"])
    )
    assert count_dropped_triples(extraction) == {"self_loops": 1, "duplicates": 2}
    assert relation(extraction).toarray().tolist() == [[0, 2, 0], [2, 0, 1], [0, 1, 0]]
