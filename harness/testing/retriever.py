"""Conformance tests of retrievers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from harness.benchmark import Benchmark
from harness.retriever import Retriever, retrieve
from harness.testing.conformance import Conformance
from harness.testing.lists import assert_equal
from harness.testing.world import small_benchmark
from harness.work import shared_rows
from harness.work.parts import Share, sharing
from harness.work.store import Store


def _artifacts(store: Store) -> dict[str, object]:
    """Return files and facts of every artifact."""
    manifests = (
        json.loads(path.read_text())
        for path in (store.root / "artifacts").glob("*/*/manifest.json")
    )
    return {
        f"{manifest['stage']}/{manifest['key']}": (manifest["files"], manifest["facts"])
        for manifest in manifests
    }


class RetrieverConformance(Conformance):
    """Tests of ``names``, configurations of ``conf/retriever``.

    A subclass may have its own fixture ``benchmark``. ``overrides`` choose small inputs of the
    retriever: no model is loaded.
    """

    concept: ClassVar[str] = "retriever"
    composite: ClassVar[bool] = True
    overrides = ("encoder=hashed", "extractor.model=null", "extractor.spans=false")

    @pytest.fixture
    def retriever(self, name: str, monkeypatch: pytest.MonkeyPatch) -> Retriever:
        """Return the tested strategy with a version, so that its artifacts are stored."""
        retriever: Retriever = self.make(name)
        if "version" not in vars(type(retriever)):
            monkeypatch.setattr(type(retriever), "version", "test", raising=False)
        return retriever

    @pytest.fixture
    def benchmark(self) -> Benchmark:
        """Return a few passages that name each other; two questions share no word with them."""
        return small_benchmark()

    def test_it_ranks_passages_for_every_query(
        self, retriever: Retriever, benchmark: Benchmark, tmp_path: Path
    ) -> None:
        """No passage comes twice, scores are finite and descend, ties ascend by number."""
        run, facts = retriever.retrieve(benchmark, Store(tmp_path))
        assert run.query_ids.equals(benchmark.query_ids)
        assert run.doc_ids.equals(benchmark.doc_ids)
        assert run.scores.dtype == np.float64
        assert np.isfinite(run.scores).all()
        assert run.lengths().any()
        for first, last in zip(run.indptr[:-1], run.indptr[1:], strict=True):
            docs, scores = run.docs[first:last], run.scores[first:last]
            assert len(set(docs.tolist())) == len(docs)
            assert np.lexsort((docs, -scores)).tolist() == list(range(len(docs)))
        assert isinstance(dict(facts), dict)

    def test_it_gives_the_same_bytes_again_and_from_its_artifact(
        self, retriever: Retriever, benchmark: Benchmark, tmp_path: Path
    ) -> None:
        """Built in a second folder, and read from the first."""
        first = retrieve(retriever, benchmark, Store(tmp_path / "one"))
        assert_equal(
            first, retrieve(retriever, benchmark, Store(tmp_path / "two")), "in a second folder"
        )
        assert_equal(
            first, retrieve(retriever, benchmark, Store(tmp_path / "one")), "read from its artifact"
        )
        artifacts = list((tmp_path / "one" / "artifacts" / "retrieve").glob("*/manifest.json"))
        assert artifacts

    def test_processes_that_share_it_make_the_same_files(
        self,
        retriever: Retriever,
        benchmark: Benchmark,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """With parts of one row, arrays and facts of all artifacts are those of one process."""
        alone, shared = Store(tmp_path / "alone"), Store(tmp_path / "shared")
        retrieve(retriever, benchmark, alone)
        monkeypatch.setattr(
            shared_rows, "cut", lambda count, size: [slice(row, row + 1) for row in range(count)]
        )
        with sharing(Share(2, 3)):
            retrieve(retriever, benchmark, shared)
        assert _artifacts(shared) == _artifacts(alone)

    def test_a_question_gets_its_list_whoever_else_asks(
        self, retriever: Retriever, benchmark: Benchmark, tmp_path: Path
    ) -> None:
        """Some of the questions, in another order, get the lists that they get among all."""
        whole, _ = retriever.retrieve(benchmark, Store(tmp_path))
        ids, texts = benchmark.query_ids.to_pylist(), benchmark.questions
        for rows in ([0], [len(ids) - 1, 0]):
            some = benchmark.asked({ids[row]: texts[row] for row in rows})
            run, _ = retriever.retrieve(some, Store(tmp_path))
            assert_equal(run, whole.take(np.array(rows)), "with fewer questions")

    def test_its_questions_see_no_gold(
        self, retriever: Retriever, benchmark: Benchmark, tmp_path: Path
    ) -> None:
        """Other gold passages give the same lists."""
        other = Benchmark(
            benchmark.name,
            benchmark.corpus,
            benchmark.queries.remove_columns("supporting_ids"),
            benchmark.gold[::-1].copy(),
            benchmark.chain,
            benchmark.sha256,
            benchmark.triples,
        )
        first, second = (
            retriever.retrieve(judged, Store(tmp_path / str(n)))
            for n, judged in enumerate((benchmark, other))
        )
        assert_equal(first[0], second[0], "with other gold passages")
