"""What tests of several parts share: lists to fuse, what comes out of fusing them, a benchmark of a few passages."""

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import harness
from harness.benchmark import Benchmark
from harness.configuration import strategy
from harness.fuser import Calibrated
from harness.identity import texts_sha256
from harness.learned import lacks
from harness.normalizer.pit import Pit
from harness.pool import Pool
from harness.run import Run
from harness.temperature.auto import Auto

Lists = dict[str, dict[str, float]]


@pytest.fixture
def two_lists() -> Lists:
    """Percentile ranks: dense a 1, b 1/2; graph c 1, a 1/2."""
    return {"dense": {"a": 0.9, "b": 0.5}, "graph": {"c": 0.03, "a": 0.01}}


@pytest.fixture
def scores() -> Callable[..., dict[str, float]]:
    """``scores(fuser, lists, normalizer, **options)``: fused score by document, best first, of one query."""

    def fused(fuser: Any, lists: Mapping[str, Mapping[str, float]], normalizer: Any = "pit", **options: Any) -> Any:
        runs = {name: Run.from_dict({"q": dict(found)}) for name, found in lists.items()}
        return harness.fuse(runs, fuser, normalizer, **options).to_dict()["q"]

    return fused


@pytest.fixture
def random_runs() -> Callable[..., dict[str, Run]]:
    """``random_runs(seed, ties)``: three lists of uneven lengths over 40 queries, every seventh one empty."""
    return make_runs


def make_runs(seed: int = 0, ties: bool = True, names: tuple[str, ...] = ("dense", "graph", "bm25")) -> dict[str, Run]:
    random = np.random.default_rng(seed)
    documents = [f"d{number:03d}" for number in range(60)]

    def ranking(offset: int, query: int) -> dict[str, float]:
        if (query + offset) % 7 == 0:
            return {}
        chosen = random.choice(documents, size=random.integers(1, 40), replace=False)
        points = random.choice(6 if ties else 4096, size=len(chosen), replace=ties)
        return {str(doc): float(point) / (8 if ties else 4096) for doc, point in zip(chosen, points, strict=True)}

    return {
        name: Run.from_dict({f"q{query:02d}": ranking(offset, query) for query in range(40)})
        for offset, name in enumerate(names)
    }


@pytest.fixture(scope="session")
def taught() -> Callable[..., Any]:
    """``taught(concept, name, **fields)``: the strategy; one that learns has learned from random judged lists."""
    return teach


def teach(concept: str, name: str, **fields: Any) -> Any:
    chosen = strategy(concept, name, **fields)
    if not lacks(chosen):
        return chosen
    pool = Pool.align(make_runs(seed=3, ties=False))
    if concept == "normalizer":
        return chosen.fit(pool.listings)
    best = [np.where(run.lengths() > 0, firsts(run), -1) for run in make_runs(seed=3, ties=False).values()]
    return chosen.fit(Calibrated(pool, Pit(), Auto()), np.sort(np.stack(best, axis=1).astype(np.int32))[:, ::-1])


def firsts(run: Run) -> np.ndarray:
    """int32[Q]: the best document of every query's list, any where there is none."""
    return run.docs[np.minimum(run.indptr[:-1], len(run.docs) - 1)]


@pytest.fixture(scope="session")
def example() -> ModuleType:
    """tests/report/example.py: ``example.write(folder)`` makes the folder of a small sweep worked by hand."""
    path = Path(__file__).parent / "report" / "example.py"
    spec = importlib.util.spec_from_file_location("example", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
