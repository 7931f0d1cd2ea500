"""What is odd in data is counted. Expected counts are counted by hand in the records below."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.benchmark import Benchmark
from harness.benchmark.dataset.folder import Folder
from harness.benchmark.oddity import describe_oddities, find_oddities
from harness.model.encoder.hashed import Hashed
from harness.retriever.bm25 import BM25, NO_WORD
from harness.retriever.dense import Dense
from harness.work.store import Store

PASSAGES = [("a", "Red door"), ("b", "Red  door"), ("c", "Blue gate"), ("d", "Blue gate")]
QUESTIONS: list[tuple[str, str, list[str]]] = [
    ("q1", "Which door?", ["a", "c"]),  # b copies a, d copies c; neither is gold
    ("q2", "Which gate?", ["c", "d"]),  # both copies are gold
    ("e", "A question that is a document", ["a"]),
    ("a", "Red", ["c"]),  # the id of a document, another text
]


@pytest.fixture
def odd(tmp_path: Path) -> Benchmark:
    passages = [*PASSAGES, ("e", "A question that is a document")]
    rows = {
        "corpus": [{"id": name, "title": "", "text": text} for name, text in passages],
        "queries": [
            {"id": name, "question": question, "answers": [], "supporting_ids": gold}
            for name, question, gold in QUESTIONS
        ],
    }
    rows["queries"].append(
        {"id": "q0", "question": "Nothing?", "answers": [], "supporting_ids": []}
    )
    for stem, records in rows.items():
        lines = "".join(json.dumps(row) + "\n" for row in records)
        (tmp_path / f"{stem}.jsonl").write_text(lines)
    return Folder(str(tmp_path)).load(Store(tmp_path / "runs"))


def test_copies_own_documents_and_questions_without_gold_are_counted(odd: Benchmark) -> None:
    assert find_oddities(odd) == {"queries": 1, "copies": 4, "gold copies": 2, "own documents": 1}
    said = describe_oddities({"copies": 1234, "anything": 2})
    assert [line.rpartition(": ")[2] for line in said] == ["1,234", "2"]


def test_data_prints_them(odd: Benchmark, tmp_path: Path, command: Any) -> None:
    runs = f"paths.runs={tmp_path / 'runs'}"
    status, said, _ = command("data", "dataset=folder", f"dataset.path={tmp_path}", runs)
    assert status == 0
    assert len([line for line in said.splitlines() if line.startswith("caution: ")]) == 4


class Short:
    """A model that reads two words."""

    dimension = 4
    facts = {"max_seq_length": 2}  # noqa: RUF012

    def encode(self, texts: Any, role: Any, advance: Any) -> Any:
        cut = np.array([len(text.split()) > 2 for text in texts])
        return np.ones((len(texts), 4), np.float32), cut


class Cutting(Hashed):
    """An encoder that opens it. It is none that another test has open."""

    def open(self) -> Any:
        return Short()


def test_texts_that_an_encoder_cuts_are_counted_and_the_gold_among_them(
    odd: Benchmark, tmp_path: Path
) -> None:
    """One passage has more than two words; it is no gold. Then it is."""
    for benchmark, gold in ((odd, 0), (odd_with_gold(odd), 1)):
        _, facts = Dense(Cutting()).retrieve(benchmark, Store(tmp_path / "runs"))
        assert list(facts["odd"].values()) == [1, gold]
        assert any("first 2 tokens" in label for label in facts["odd"])


def odd_with_gold(odd: Benchmark) -> Benchmark:
    from dataclasses import replace

    gold = odd.gold.copy()
    gold[0, 0] = 4
    return replace(odd, gold=gold)


def test_questions_without_a_known_word_are_counted(odd: Benchmark, tmp_path: Path) -> None:
    other = odd.asked({"x": "谁写了这本书", "y": "door"})
    _, facts = BM25().retrieve(other, Store(tmp_path / "runs"))
    assert facts["odd"] == {NO_WORD: 1}
