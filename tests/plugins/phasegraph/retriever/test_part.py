"""Parts of a corpus: which passages stay, and that a run over them is that of a corpus of them
alone.
"""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.plugins.phasegraph.retriever.part import Part, members, part
from harness.retriever.bm25 import BM25
from harness.work.store import Store

TEXTS = ["red fox", "blue fox", "green sea", "red sky", "red rose", "grey sea"]


@pytest.fixture
def few(benchmark_of: Any) -> Any:
    return dataclasses.replace(
        benchmark_of(TEXTS, ["red fox"]), gold=np.array([[4, -1]], dtype=np.int32)
    )


def test_a_smaller_part_is_not_practical() -> None:
    assert [Part(BM25(), share).practical for share in (0.125, 1)] == [False, True]


def test_gold_stays_and_the_others_by_their_md5(few: Any) -> None:
    """The MD5 of d0 .. d5 begin with 13 99 b2 e5 ae b9: fractions .07 .60 .70 .89 .68 .72. d4 is
    gold.
    """
    assert members(few, 1e-9).tolist() == [4]
    assert members(few, 0.5).tolist() == [0, 4]
    assert members(few, 0.65).tolist() == [0, 1, 4]
    assert members(few, 0.71).tolist() == [0, 1, 2, 4]
    assert members(few, 1).tolist() == list(range(6))


def test_gold_moves_and_the_data_has_another_name(few: Any) -> None:
    made = part(few, np.array([1, 4, 5]))
    assert made.doc_ids.to_pylist() == ["d1", "d4", "d5"]
    assert made.gold.tolist() == [[1, -1]]
    assert made.sha256 != few.sha256
    assert part(few, np.arange(6)).sha256 == few.sha256


def test_the_run_is_that_of_a_corpus_of_the_part_alone(
    few: Any, benchmark_of: Any, tmp_path: Path
) -> None:
    kept = members(few, 0.71)
    run, facts = Part(BM25(), 0.71).retrieve(few, Store(tmp_path))
    alone, _ = BM25().retrieve(benchmark_of([TEXTS[n] for n in kept], ["red fox"]), Store(tmp_path))
    assert facts["passages"] == len(kept) < 6
    assert run.doc_ids.to_pylist() == few.doc_ids.to_pylist()
    assert [kept[doc] for doc in alone.docs] == run.docs.tolist()
    assert alone.scores.tolist() == run.scores.tolist()
