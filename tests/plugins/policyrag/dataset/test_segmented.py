"""Documents cut into passages, by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.benchmark import Benchmark
from harness.core.errors import HarnessError
from harness.plugins.policyrag.dataset.segmented import Segmented
from harness.testing import DatasetConformance
from harness.work.store import Store
from tests.process import harness
from tests.world.folder import write_benchmark

TEXT = "Ünal wrote a law. It has two parts."
"""Eight words; the first letter takes two bytes."""
LONG = {"id": "law", "title": "A law", "text": TEXT}
SHORT = {"id": "note", "title": "A note", "text": "Short enough."}
PARTS = {"law#0-13": "Ünal wrote a", "law#12-21": "a law. It"}
PARTS |= {"law#19-29": "It has two", "law#26-36": "two parts."}


def write(folder: Path, *gold: list[str]) -> None:
    rows = [
        {"id": f"q{n}", "question": "Who?", "supporting_ids": ids} for n, ids in enumerate(gold)
    ]
    write_benchmark(folder, [LONG, SHORT], rows)


def load(folder: Path, **fields: Any) -> Benchmark:
    return Segmented(str(folder), **fields).load(Store(folder / "runs"))


def test_passages_are_bytes_of_documents_and_gold_may_be_a_span_or_a_document(
    tmp_path: Path,
) -> None:
    """law#13-20 shares 7 bytes with the second passage and 1 with the third."""
    write(tmp_path, ["note", "law#13-20"], ["law"], ["law#19-29"])
    found = load(tmp_path, tokens=3, overlap=1)
    assert dict(zip(found.corpus["id"], found.corpus["text"], strict=True)) == {
        **PARTS,
        "note": "Short enough.",
    }
    for name, text in PARTS.items():
        start, end = map(int, name.removeprefix("law#").split("-"))
        assert TEXT.encode()[start:end].decode() == text
    assert set(found.corpus["title"]) == {"A law", "A note"}
    gold = [[found.corpus["id"][place] for place in row if place >= 0] for row in found.gold]
    assert gold == [["note", "law#12-21"], [*PARTS], ["law#19-29"]]
    assert found.ordered.tolist() == [True, False, True]
    assert found.queries["hops"][:] == [2, 1, 1]


def test_a_document_is_cut_only_if_it_is_longer(tmp_path: Path) -> None:
    write(tmp_path, ["law"])
    assert load(tmp_path, tokens=8, overlap=0).doc_ids.to_pylist() == ["law", "note"]
    cut = load(tmp_path, tokens=7, overlap=0).doc_ids.to_pylist()
    assert cut == ["law#0-29", "law#30-36", "note"]


def test_the_command_line_writes_the_passages(tmp_path: Path) -> None:
    write(tmp_path, ["law#13-20"])
    typed = ["dataset=segmented", f"dataset.path={tmp_path}", "dataset.tokens=3"]
    harness("data", *typed, "dataset.overlap=1", "out=pool", cwd=tmp_path, check=True)
    rows = [json.loads(line) for line in (tmp_path / "pool" / "corpus.jsonl").open()]
    assert [row["id"] for row in rows] == [*PARTS, "note"]


def test_mistakes(tmp_path: Path) -> None:
    write(tmp_path, ["law#900-950"])
    with pytest.raises(HarnessError, match="law#900-950"):
        load(tmp_path, tokens=3, overlap=1)
    with pytest.raises(HarnessError, match=r"dataset\.overlap=3.*dataset\.tokens=3"):
        Segmented("x", tokens=3, overlap=3)
    with pytest.raises(HarnessError, match=r"no corpus\.jsonl"):
        load(tmp_path / "none")


class TestSegmented(DatasetConformance):
    names = ("segmented",)

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        write(tmp_path, ["note", "law#13-20"], ["law"])
        self.overrides = (f"dataset.path={tmp_path}", "dataset.tokens=3", "dataset.overlap=1")
