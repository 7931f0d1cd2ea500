"""Documents in passages, by hand, and through the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.benchmark import Benchmark
from harness.benchmark.dataset.folder import Folder
from harness.benchmark.source.segment import Segmentation
from harness.core.errors import HarnessError
from harness.work.store import Store
from tests.process import harness

TEXT = "Ünal wrote a law. It has two parts. The first is short. Nobody reads the second one at all."
"""Sentences of 4, 4, 4 and 7 words, at characters 0, 18, 36 and 56; the first letter takes two
bytes.
"""
LONG = {"id": "law", "title": "A law", "text": TEXT}
SHORT = {"id": "note", "title": "A note", "text": "Short. Enough."}


def parts(text: str, tokens: int, overlap: int = 0) -> list[str]:
    return [text[start:end] for start, end in Segmentation(tokens, overlap).spans(text)]


def test_whole_sentences_up_to_so_many_words() -> None:
    first, second, third, fourth = (
        "Ünal wrote a law.",
        "It has two parts.",
        "The first is short.",
        TEXT[56:],
    )
    assert parts(TEXT, 8) == [f"{first} {second}", third, fourth]
    assert parts(TEXT, 12) == [f"{first} {second} {third}", fourth]
    assert parts(TEXT, 8, 4) == [f"{first} {second}", f"{second} {third}", fourth]
    assert parts(TEXT, 5) == [first, second, third, "Nobody reads the second one", "at all."]


@given(st.text(st.sampled_from("aB. é\n😄"), max_size=60), st.integers(1, 6), st.data())
def test_every_word_is_in_a_passage_and_none_has_more(
    text: str, tokens: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(0, tokens - 1))
    found = Segmentation(tokens, overlap).spans(text)
    held = {at for start, end in found for at in range(start, end)}
    assert all(at in held for at, letter in enumerate(text) if not letter.isspace())
    assert all(0 < len(text[start:end].split()) <= tokens for start, end in found)


def loaded(folder: Path, *gold: list[str], **fields: Any) -> Benchmark:
    rows = [
        {"id": f"q{n}", "question": "Who?", "supporting_ids": ids} for n, ids in enumerate(gold)
    ]
    for name, records in (("corpus", [LONG, SHORT]), ("queries", rows)):
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in records))
    return Folder(str(folder), **fields).load(Store(folder / "runs"))


def test_passages_say_which_bytes_they_are_and_gold_may_be_a_span_or_a_document(
    tmp_path: Path,
) -> None:
    gold = (["note", "law#30-60"], ["law"], ["law#37-56"], [])
    found = loaded(tmp_path, *gold, tokens=8)
    names = found.doc_ids.to_pylist()
    assert names == ["law#0-36", "law#37-56", "law#57-92", "note"]
    for name, text, title in zip(
        names[:3], found.corpus["text"], found.corpus["title"], strict=False
    ):
        start, end = map(int, name.removeprefix("law#").split("-"))
        assert TEXT.encode()[start:end].decode() == text
        assert title == "A law"
    assert [row[row >= 0].tolist() for row in found.gold] == [
        [3, 1],
        [0, 1, 2],
        [1],
    ]  # law#30-60: 6, 19 and 3 bytes
    assert found.ordered.tolist() == found.chain.tolist() == [True, False, True]
    assert found.queries["hops"] == [2, 1, 1]
    assert found.left_out == {"queries": 1}


def test_without_tokens_nothing_changes(tmp_path: Path) -> None:
    assert loaded(tmp_path, ["law"]).doc_ids.to_pylist() == ["law", "note"]
    assert loaded(tmp_path, ["law"], tokens=19).sha256 == loaded(tmp_path, ["law"]).sha256


def test_mistakes(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="law#900-950"):
        loaded(tmp_path, ["law#900-950"], tokens=8)
    with pytest.raises(HarnessError, match=r"dataset\.overlap=8.*dataset\.tokens=8"):
        Folder("x", tokens=8, overlap=8)
    with pytest.raises(HarnessError, match=r"dataset\.overlap=2.*dataset\.tokens"):
        Folder("x", overlap=2)


@pytest.mark.plugin("site")
def test_why_a_passage_is_where_it_is_names_the_document_and_its_bytes(tmp_path: Path) -> None:
    loaded(tmp_path, *(["note", "law#37-56"] for _ in range(12)), tokens=8)
    typed = [
        "dataset=folder",
        f"dataset.path={tmp_path}",
        "dataset.tokens=8",
        "encoder=hashed",
        "extractor.model=null",
    ]
    assert "law#37-56" in harness("trace", "q0", *typed, cwd=tmp_path, check=True).stdout
