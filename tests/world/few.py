"""A benchmark of a few passages and questions in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from harness.benchmark import Benchmark
from harness.core.identity import texts_sha256

Passages = Mapping[str, str] | Sequence[str] | Sequence[tuple[str, str]]
"""{title: text}, texts, or (title, text) pairs."""


def few(
    passages: Passages,
    questions: Sequence[str],
    ids: Sequence[str] | None = None,
    gold: ArrayLike | None = None,
    answers: Sequence[Sequence[str]] | None = None,
) -> Benchmark:
    """The benchmark; questions are q0, q1, ..., and passages d0, d1, ... (d00 beyond ten), if no
    ids are given. Without gold there is none.
    """
    from datasets import Dataset

    pairs = [*passages.items()] if isinstance(passages, Mapping) else [*passages]
    pairs = [("", one) if isinstance(one, str) else one for one in pairs]
    titles, texts = [title for title, _ in pairs], [text for _, text in pairs]
    width = len(str(len(pairs) - 1))
    names = [f"d{n:0{width}}" for n in range(len(pairs))] if ids is None else [*ids]
    queries = {"id": [f"q{n}" for n in range(len(questions))], "question": [*questions]}
    nothing = np.full((len(questions), 1), -1)
    return Benchmark(
        "few",
        Dataset.from_dict({"id": names, "title": titles, "text": texts}),
        Dataset.from_dict(queries | ({} if answers is None else {"answers": answers})),
        np.asarray(nothing if gold is None else gold, dtype=np.int32),
        np.zeros(len(questions), dtype=np.bool_),
        texts_sha256([*titles, "|", *texts, "|", *questions]),
    )
