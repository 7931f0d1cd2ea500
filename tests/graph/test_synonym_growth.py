"""A corpus that grew gives the same bytes as one that was there from the start, and works only on what is new."""

import contextlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from harness.benchmark import Benchmark
from harness.core.artifact import Artifact
from harness.core.identity import texts_sha256
from harness.graph.entity import Entity
from harness.graph.extractor.offline import Offline, Recognise
from harness.graph.extractor.openie_file import OpenIEFile
from harness.graph.synonym import synonyms
from harness.graph.synonym_growth import compare_new_names
from harness.model.encoder import embed
from harness.model.encoder.embedding import _open
from harness.work.store import Store

WORDS = ["Anna Berg", "Ann Berg", "Anne Bergh", "Oslo", "Oslo City", "Rome", "Roma", "Paris", "Lake Como", "Como"]
CORPUS = [
    (f"p{n}", WORDS[n % len(WORDS)], f"It names {WORDS[n * 3 % 10]} and, then, {WORDS[n * 7 % 10]}.") for n in range(12)
]


@dataclass(frozen=True)
class Letters:
    """Counts letters and pairs of letters: near names have near vectors, and each text's bits are its own."""

    alone: bool = True

    def open(self) -> "LetterModel":
        return LetterModel(self.alone)


class LetterModel:
    dimension = 64
    device = "cpu"
    seen: ClassVar[list[str]] = []

    def __init__(self, alone: bool) -> None:
        self.alone, self.facts = alone, {"device": self.device}

    def encode(
        self, texts: Sequence[str], role: str, advance: Callable[[int], object]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        self.seen.extend(texts)
        vectors = np.full((len(texts), 64), 0.1, dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for one, other in pairwise(text):
                row[(ord(one) * 7 + ord(other)) % 64] += 1
        return vectors, np.array([len(text) > 30 for text in texts])


@dataclass(frozen=True)
class Recognised(Offline):
    """Capitalised words, as a recogniser would give them."""

    model: str | None = "capitals"
    read: ClassVar[list[str]] = []

    def _recogniser(self) -> contextlib.AbstractContextManager[Recognise]:
        return contextlib.nullcontext(self._read)

    def _read(self, texts: Sequence[str]) -> list[NDArray[np.int32]]:
        self.read.extend(texts)
        found = ([(*m.span(), 1) for m in re.finditer(r"[A-Z]\w+(?: [A-Z]\w+)*", text)] for text in texts)
        return [np.array(rows, dtype=np.int32).reshape(-1, 3) for rows in found]


def corpus(rows: Sequence[tuple[str, str, str]]) -> Benchmark:
    from datasets import Dataset

    columns = {name: [row[place] for row in sorted(rows)] for place, name in enumerate(("id", "title", "text"))}
    queries = Dataset.from_dict({"id": ["q"], "question": ["Where is Oslo City?"]})
    sha256 = texts_sha256([part for row in sorted(rows) for part in row])
    return Benchmark(
        "grown", Dataset.from_dict(columns), queries, np.full((1, 1), -1, np.int32), np.zeros(1, np.bool_), sha256
    )


def files(artifact: Artifact) -> Mapping[str, Any]:
    found: Mapping[str, Any] = artifact.manifest["files"]
    return found


@settings(max_examples=8)
@given(st.sets(st.integers(0, 11), max_size=12), st.booleans(), st.booleans())
def test_any_split_gives_the_bytes_of_a_rebuild(chosen: set[int], triples: bool, alone: bool) -> None:
    with TemporaryDirectory() as folder:
        said = Path(folder) / "said.jsonl"
        rows = [
            {"id": key, "entities": [title], "triples": [[title, "near", text[9:14]]]} for key, title, text in CORPUS
        ]
        said.write_text("".join(json.dumps(row) + "\n" for row in rows))
        base = Recognised()
        encoder = Letters(alone)
        graph = Entity(OpenIEFile(base, str(said), coverage=0) if triples else base, encoder, synonym=0.6)
        made = {}
        for name, parts in {"grown": [chosen, range(12)], "rebuilt": [range(12)]}.items():
            store = Store(Path(folder) / name)
            for part in parts:
                benchmark = corpus([CORPUS[place] for place in sorted(part)])
                made[name] = graph.artifact(benchmark, store)
                embed(encoder, benchmark.passages, "passage", store)
        assert files(made["grown"]) == files(made["rebuilt"])
        for stage in ("extract", "encode"):
            grown = {found.key: files(found) for found in Store(Path(folder) / "grown").find_all(stage, {})}
            for found in Store(Path(folder) / "rebuilt").find_all(stage, {}):
                assert grown[found.key] == files(found)


def test_only_what_is_new_is_worked_on(tmp_path: Path) -> None:
    graph, store = Entity(Recognised(), Letters(), synonym=0.6), Store(tmp_path)
    first = graph.artifact(corpus(CORPUS[:10]), store)
    assert first.facts["names_compared_before"] == 0
    assert 0 < first.facts["edges"]["synonym"] < 20
    Recognised.read.clear()
    LetterModel.seen.clear()
    added = ("p99", "Bergen", "It lies near Oslo.")
    grown = graph.artifact(corpus([*CORPUS[:10], added]), store)
    assert Recognised.read == [added[2]]
    assert LetterModel.seen == ["bergen"]
    assert grown.facts["names_compared_before"] == first.facts["entities"] == grown.facts["entities"] - 1
    smaller = graph.artifact(corpus(CORPUS[:5]), store)
    assert (Recognised.read, LetterModel.seen) == ([added[2]], ["bergen"]), "a part of a corpus needs nothing new"
    assert smaller.facts["names_compared_before"] == smaller.facts["entities"]


def test_vectors_of_another_device_are_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, texts = Store(tmp_path), ["one", "two", "a text of more than thirty letters"]
    embed(Letters(), texts[:2], "name", store)
    LetterModel.seen.clear()
    embed(Letters(), texts, "name", store)
    assert LetterModel.seen == texts[2:]
    made = next(a for a in store.find_all("encode", {"role": "name"}) if a.facts["texts"] == 3)
    assert (made.facts["taken_over"], made.facts["truncated"]) == (2, 1)
    monkeypatch.setattr(LetterModel, "device", "cuda")
    _open.cache_clear()
    LetterModel.seen.clear()
    embed(Letters(), ["two"], "name", store)
    assert LetterModel.seen == ["two"]
    _open.cache_clear()


def test_pairs_with_new_rows_are_those_of_all_pairs() -> None:
    random = np.random.default_rng(0)
    vectors = random.normal(size=(80, 6)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    whole = synonyms(vectors, 0.6)
    for fresh in (np.array([], np.int64), np.array([3, 17, 79]), np.arange(80)):
        i, j, values = compare_new_names(vectors, fresh, 0.6, block=7)
        wanted = {(a, b) for a, b in zip(*whole.nonzero(), strict=True) if a in fresh or b in fresh}
        assert {*zip(i, j, strict=True), *zip(j, i, strict=True)} == wanted
        assert len(i) == len(wanted) // 2
        np.testing.assert_array_equal(values, [whole[a, b] for a, b in zip(i, j, strict=True)])
