"""A benchmark of a few passages."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from harness.benchmark import Benchmark
from harness.identity import texts_sha256


@pytest.fixture
def benchmark_of() -> Callable[[Sequence[str], Sequence[str]], Benchmark]:
    """``benchmark_of(passages, questions)``: ids d0, d1, ... (d00 for more than ten) and q0, q1, ...; no gold."""
    from datasets import Dataset

    def make(passages: Sequence[str], questions: Sequence[str]) -> Benchmark:
        width = len(str(len(passages) - 1))
        names = [f"d{n:0{width}d}" for n in range(len(passages))]
        corpus = {"id": names, "title": [""] * len(passages), "text": list(passages)}
        queries = {"id": [f"q{n}" for n in range(len(questions))], "question": list(questions)}
        count = len(questions)
        return Benchmark(
            "few",
            Dataset.from_dict(corpus),
            Dataset.from_dict(queries),
            np.full((count, 1), -1, dtype=np.int32),
            np.zeros(count, dtype=np.bool_),
            texts_sha256([*passages, "|", *questions]),
        )

    return make
