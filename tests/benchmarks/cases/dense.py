"""Exact nearest passages in the one order, against FAISS's flat index, which leaves ties and last
bits to chance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.retriever.search.exact import nearest_rows
from tests.benchmarks.lists import PASSAGES
from tests.benchmarks.measure import Case

DEPTH = 200


def case(quick: bool) -> Case:
    import faiss

    queries, passages, width = (20, 500, 384) if quick else (1000, PASSAGES, 384)
    random = np.random.default_rng(width)
    texts, questions = (
        _unit(random.standard_normal((n, width), dtype=np.float32)) for n in (passages, queries)
    )
    texts[1::50] = texts[::50][: len(texts[1::50])]  # equal passages: their scores tie
    flat = faiss.IndexFlatIP(width)
    flat.add(texts)
    return Case(
        work=f"{queries} queries x {passages} x {width}, k {DEPTH}; ours also orders by float64 cosine and number",
        peer="faiss.IndexFlatIP.search, all queries at once",
        ours=lambda: nearest_rows(texts, questions, DEPTH),
        theirs=lambda: flat.search(questions, DEPTH),
        check=lambda ours, _: exact(ours, texts, questions),
        aim=1 / 2.5,
        packages=("faiss-cpu",),
    )


def exact(ours: Any, texts: NDArray[np.float32], questions: NDArray[np.float32]) -> str:
    """Against all float64 inner products, sorted; scores that differ by less than their rounding
    may change places.
    """
    docs, scores = ours
    for q in range(0, len(questions), max(1, len(questions) // 50)):
        whole = texts.astype(np.float64) @ questions[q].astype(np.float64)
        order = np.lexsort((np.arange(len(whole)), -whole))[: docs.shape[1]]
        np.testing.assert_allclose(scores[q], whole[order], rtol=0, atol=1e-13)
        np.testing.assert_allclose(whole[docs[q]], whole[order], rtol=0, atol=1e-13)
        tied = scores[q][1:] == scores[q][:-1]
        if (scores[q][1:] > scores[q][:-1]).any() or (
            docs[q][1:][tied] <= docs[q][:-1][tied]
        ).any():
            raise AssertionError(f"query {q} is not in the one order")
    return "float64 scores within 1e-13 of a full sort, ties by passage number"


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
