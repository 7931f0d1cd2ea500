"""Lists from rows of scores."""

import logging

import numpy as np
import pytest

from harness.benchmark import Benchmark
from harness.retriever.pagerank.score_blocks import collect_lists, rank_rows
from harness.work import progress


def test_scores_that_differ_by_less_than_their_error_tie() -> None:
    """In units of 1e-6: 3.1, 8.9999, 9.0001, .4 (too little), 2.6."""
    row = np.array([3.1e-6, 8.9999e-6, 9.0001e-6, 0.4e-6, 2.6e-6])
    docs, scores, lengths = rank_rows(row[None], 1e-6, 1e-6)
    assert docs.tolist() == [1, 2, 0, 4]
    assert scores == pytest.approx([9e-6, 9e-6, 3e-6, 3e-6])
    assert scores[0] == scores[1]
    assert scores[2] == scores[3]
    assert lengths.tolist() == [4]
    docs, _, _ = rank_rows(row[None], 1e-6)
    assert docs.tolist() == [2, 1, 0, 4]


def test_a_walk_shows_its_share(
    titled: object, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    world: Benchmark = titled({"A": "b"}, ["one?", "two?", "three?", "four?"])  # type: ignore[operator]
    shown = []

    def scored(part: slice):  # type: ignore[no-untyped-def]
        for _ in range(part.start, part.stop):
            shown.extend(bar.line() for bar in progress.Progress.open)
            yield np.ones((1, 1)), np.ones(1, np.int64), np.zeros(1)

    with caplog.at_level(logging.INFO):
        collect_lists(world, scored, 1e-6)
    assert any("walk: 3 of 4" in line and "left" in line for line in shown)
