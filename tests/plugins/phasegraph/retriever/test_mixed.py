import dataclasses

import numpy as np

from harness.plugins.phasegraph.retriever.mixed import Mixed, union
from harness.retriever.bm25 import BM25
from harness.work.store import Store


@dataclasses.dataclass(frozen=True)
class Given:
    benchmark: object

    def load(self, store):
        return self.benchmark


def test_the_union_keeps_queries_and_moves_gold(benchmark_of):
    own = dataclasses.replace(
        benchmark_of(["alpha", "beta"], ["what"]), gold=np.array([[1, -1]], dtype=np.int32)
    )
    whole = union(own, [dataclasses.replace(benchmark_of(["gamma"], ["other"]), name="a")])
    assert whole.doc_ids.to_pylist() == ["a/d0", "d0", "d1"]
    assert whole.corpus["text"][:] == ["gamma", "alpha", "beta"]
    assert whole.gold.tolist() == [[2, -1]]
    assert whole.query_ids.to_pylist() == ["q0"]
    assert whole.sha256 not in (own.sha256, union(own, []).sha256)


def test_foreign_passages_dilute_and_are_dropped(benchmark_of, tmp_path):
    own = benchmark_of(["red fox", "blue fox", "green sea"], ["red fox"])
    other = dataclasses.replace(
        benchmark_of(["red sky", "red rose", "red car"], ["x"]), name="other"
    )
    store = Store(tmp_path)
    alone, _ = BM25().retrieve(own, store)
    run, facts = Mixed(BM25(), {"own": Given(own), "other": Given(other)}).retrieve(own, store)
    assert facts["foreign_passages"] == 3
    assert facts["foreign_dropped"] == 3
    assert run.doc_ids.to_pylist() == ["d0", "d1", "d2"]
    # "red" is in one passage of three at home and in four of six together, so it weighs less; "fox"
    # weighs more.
    before, after = alone.to_dict()["q0"], run.to_dict()["q0"]
    assert list(before)[:2] == list(after)[:2] == ["d0", "d1"]
    assert before["d0"] - before["d1"] > after["d0"] - after["d1"]
