"""A benchmark of a few passages."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from harness.benchmark import Benchmark
from harness.core.identity import texts_sha256

Passages = Sequence[str] | Sequence[tuple[str, str]]


@pytest.fixture(scope="session")
def benchmark_of() -> Callable[[Passages, Sequence[str]], Benchmark]:
    """``benchmark_of(texts or (title, text) pairs, questions)``: ids d0, ... (d00 beyond ten), q0, ...; no gold."""
    from datasets import Dataset

    def make(passages: Passages, questions: Sequence[str]) -> Benchmark:
        pairs = [("", passage) if isinstance(passage, str) else passage for passage in passages]
        titles, texts = [title for title, _ in pairs], [text for _, text in pairs]
        width = len(str(len(passages) - 1))
        names = [f"d{n:0{width}d}" for n in range(len(passages))]
        corpus = {"id": names, "title": titles, "text": texts}
        queries = {"id": [f"q{n}" for n in range(len(questions))], "question": list(questions)}
        count = len(questions)
        return Benchmark(
            "few",
            Dataset.from_dict(corpus),
            Dataset.from_dict(queries),
            np.full((count, 1), -1, dtype=np.int32),
            np.zeros(count, dtype=np.bool_),
            texts_sha256([*titles, "|", *texts, "|", *questions]),
        )

    return make
