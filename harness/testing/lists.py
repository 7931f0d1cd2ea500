"""Ranked lists for tests, and strategies that have learned from them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from itertools import starmap
from typing import Any

import numpy as np
import torch
from torch import Tensor

import harness
from harness.core.arrays import Int32Array
from harness.core.configuration.conf_files import strategy
from harness.fusion.fuser import Calibrated
from harness.fusion.learning import must_learn
from harness.fusion.normalizer import Pit
from harness.fusion.pool import Pool
from harness.fusion.temperature import Auto
from harness.run import Run

LISTS = ("dense", "graph", "bm25")


def random_runs(seed: int = 0, ties: bool = True, names: tuple[str, ...] = LISTS) -> dict[str, Run]:
    """Return lists of uneven lengths over 40 questions and 60 documents, every seventh one empty.

    Scores are in [0, 1].
    """
    return dict(_random_runs(seed, ties, names))


@functools.cache
def _random_runs(seed: int, ties: bool, names: tuple[str, ...]) -> dict[str, Run]:
    """Return the lists, made once."""
    random = np.random.default_rng(seed)
    documents = [f"d{number:03d}" for number in range(60)]

    def ranking(offset: int, query: int) -> dict[str, float]:
        if (query + offset) % 7 == 0:
            return {}
        chosen = random.choice(documents, size=random.integers(1, 40), replace=False)
        levels, most = (6, 8) if ties else (4096, 4096)
        points = random.choice(levels, size=len(chosen), replace=ties)
        return dict(zip(map(str, chosen), (points / most).tolist(), strict=True))

    return {
        name: Run.from_dict({f"q{query:02d}": ranking(offset, query) for query in range(40)})
        for offset, name in enumerate(names)
    }


def fused_scores(
    fuser: Any, lists: Mapping[str, Mapping[str, float]], normalizer: Any = "pit", **options: Any
) -> dict[str, float]:
    """Return the fused score by document, best first, of one question's lists of scores by
    document.
    """
    runs = {name: Run.from_dict({"q": dict(scores)}) for name, scores in lists.items()}
    if getattr(fuser, "reads", {"values"}) & {"values", "probabilities"}:
        options["normalizer"] = normalizer
    return harness.fuse(runs, fuser, **options).to_dict()["q"]


def trained(concept: str, name: str, **fields: Any) -> Any:
    """Return the strategy; a fuser that learns has learned from random judged lists."""
    chosen = strategy(concept, name, **fields)
    return _learned(chosen) if must_learn(chosen) else chosen


@functools.cache
def _learned(chosen: Any) -> Any:
    """Return the fuser, trained once."""
    runs = random_runs(seed=3, ties=False)
    pool = Pool.align(runs)
    best = [np.where(run.lengths() > 0, _first(run), -1) for run in runs.values()]
    return chosen.fit(
        Calibrated(pool, Pit(), Auto()), np.sort(np.stack(best, axis=1).astype(np.int32))[:, ::-1]
    )


def assert_equal(run: Run, other: Run, changed: str) -> None:
    """Check that two runs have the same lists and scores, bit for bit.

    Args:
        run: a run.
        other: the other run.
        changed: how the second one was made, as in ``the lists in another order``.
    """
    arrays = ((run.indptr, other.indptr), (run.docs, other.docs), (run.scores, other.scores))
    if not (all(starmap(np.array_equal, arrays)) and run.doc_ids.equals(other.doc_ids)):
        raise AssertionError(f"{changed}: {first_difference(run, other)}")


def first_difference(run: Run, other: Run) -> str:
    """Return the first question whose lists differ, with both lists' beginnings."""
    first, second = run.to_dict(), other.to_dict()
    for query, scores in first.items():
        entries, others = list(scores.items()), list(second.get(query, {}).items())
        if entries != others:
            return (
                f"query {query}: {entries[:5]} ... and {others[:5]} ...; if only last digits "
                "differ, add lists with `total` of harness.fusion.fuser, and along documents with "
                "`ordered_sum` of harness.fusion.normalizer"
            )
    return "the ids differ"


def _first(run: Run) -> Int32Array:
    """Return int32[Q], the best document of every question's list; any number if it is empty."""
    return run.docs[np.minimum(run.indptr[:-1], len(run.docs) - 1)]


def under_default_types(compute: Callable[[], Tensor]) -> list[Tensor]:
    """Return float64[...] of ``compute`` under torch's default types float32 and float64.

    The two are equal if no default type leaks.
    """
    tensors = []
    for kind in (torch.float32, torch.float64):
        torch.set_default_dtype(kind)
        try:
            tensors.append(compute())
        finally:
            torch.set_default_dtype(torch.float32)
    return tensors
