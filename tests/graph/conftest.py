"""A benchmark of titled passages."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest

from harness.benchmark import Benchmark
from harness.identity import texts_sha256


@pytest.fixture(scope="session")
def titled() -> Callable[[Mapping[str, str] | Sequence[tuple[str, str]], Sequence[str]], Benchmark]:
    """``titled({title: text}, questions)``: ids d000, d001, ... and q0, q1, ...; no gold."""
    from datasets import Dataset

    def make(passages: Mapping[str, str] | Sequence[tuple[str, str]], questions: Sequence[str]) -> Benchmark:
        pairs = list(passages.items()) if isinstance(passages, Mapping) else list(passages)
        titles, texts = [title for title, _ in pairs], [text for _, text in pairs]
        corpus = {"id": [f"d{n:03d}" for n in range(len(pairs))], "title": titles, "text": texts}
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
