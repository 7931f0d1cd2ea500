"""Indexing with BM25, against bm25s."""

from __future__ import annotations

from typing import Any

import numpy as np

from harness.benchmark import Benchmark
from harness.retriever.bm25 import BM25, Tokenizer
from tests.benchmarks import real
from tests.benchmarks.measure import Case

DEPTH = 10


def case(quick: bool) -> Case:
    import bm25s

    data, ours = real.benchmark(), BM25()
    passages = data.passages[:500] if quick else data.passages

    def index() -> tuple[Any, list[str]]:
        counts, words = Tokenizer("english", None).counts(passages)
        return ours._index(counts), words

    def peer() -> Any:
        words = bm25s.tokenize(list(passages), stopwords="en", show_progress=False)
        model = bm25s.BM25(method="lucene", k1=ours.k1, b=ours.b, dtype="float64")
        model.index(words, show_progress=False)
        return model

    return Case(
        work=f"index of {len(passages)} passages of {real.NAME}",
        peer="bm25s, method lucene, float64",
        ours=index,
        theirs=peer,
        check=lambda mine, theirs: agree(mine, theirs, data),
        aim=1 / 1.2,
        packages=("bm25s",),
    )


def agree(mine: tuple[Any, list[str]], theirs: Any, data: Benchmark) -> str:
    """All scores are equal to 1e-6, and so are the ten best documents in the one order."""
    index, words = mine
    number = {word: row for row, word in enumerate(words)}

    def best(scores: Any) -> Any:
        return np.argsort(-scores, kind="stable")[:DEPTH]

    for question in Tokenizer("english", None).of(data.questions):
        asked = [word for word in question if word in number]
        scores = np.asarray(index[[number[word] for word in asked]].sum(axis=0)).ravel()
        other = theirs.get_scores(asked) if asked else np.zeros(index.shape[1])
        np.testing.assert_allclose(scores, other, rtol=0, atol=1e-6)
        held = min((scores[best(scores)] > 0).sum(), DEPTH)
        np.testing.assert_array_equal(best(scores)[:held], best(other)[:held])
    return f"scores within 1e-6, the same {DEPTH} best of each question"
