"""Work that does not fit into a device's memory, by a stand-in that raises torch's own error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch

from harness.core.device import in_halves
from harness.core.errors import HarnessError
from harness.fusion import fuse
from harness.model.encoder import embedding
from harness.model.encoder.hashed import HashedWords
from harness.retriever.pagerank.pagerank import Walks
from harness.retriever.search.exact_torch import Products
from harness.run import Run


def small(work: Callable[[Any], Any], most: int) -> Callable[[Any], Any]:
    """The work on a card that has room for ``most`` items."""

    def limited(*given: Any) -> Any:
        if len(given[-1]) > most:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 1 GiB")
        return work(*given)

    return limited


def test_what_does_not_fit_is_halved_and_stays_in_order() -> None:
    assert list(in_halves(sum, [1, 2, 3, 4, 5], "")) == [15]
    assert list(in_halves(small(list, 2), [1, 2, 3, 4, 5], "")) == [[1, 2], [3], [4, 5]]


def test_a_single_item_that_does_not_fit_is_one_line() -> None:
    with pytest.raises(HarnessError, match=r"^a device's memory is too small .*; buy one$"):
        list(in_halves(small(list, 0), [1, 2], "buy one"))


def test_other_errors_are_not_caught() -> None:
    def broken(part: Sequence[int]) -> int:
        raise RuntimeError("no kernel")

    with pytest.raises(RuntimeError, match="no kernel"):
        list(in_halves(broken, [1, 2], ""))


@pytest.fixture
def lists() -> dict[str, Run]:
    drawn = np.random.default_rng(0)
    return {
        name: Run.from_dict(
            {
                f"q{query}": {f"d{doc}": float(drawn.random()) for doc in range(6)}
                for query in range(9)
            }
        )
        for name in ("dense", "graph")
    }


def test_a_fusion_is_the_same_in_halves(
    lists: dict[str, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = fuse.fuse(lists, "rrf")
    ranked = fuse.rank_documents
    monkeypatch.setattr(fuse, "rank_documents", small(ranked, 2))
    assert fuse.fuse(lists, "rrf").equals(whole)


def test_search_is_the_same_in_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = np.random.default_rng(0)
    passages, questions = (drawn.random((n, 8), np.float32) for n in (30, 9))
    search = Products(passages, ["cpu"], room=1 << 30)
    docs = search(questions, 5)[1]
    exact = (questions @ passages.T).argsort(axis=1)[:, ::-1][:, :5]
    assert (docs == exact).all()
    monkeypatch.setattr(search, "_fill", small(search._fill, 2))
    assert (search(questions, 5)[1] == docs).all()


def test_vectors_are_the_same_in_halves(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    texts, model = [f"text {number}" for number in range(9)], HashedWords(16)

    def encoded(folder: str) -> Any:
        (tmp_path / folder).mkdir()
        embedding.encode(tmp_path / folder, model, texts, "passage")
        return np.load(tmp_path / folder / embedding.EMBEDDINGS)

    whole, plain = encoded("whole"), model.encode

    def limited(texts: Sequence[str], role: Any, advance: Any) -> Any:
        return small(lambda part: plain(part, role, advance), 2)(texts)

    monkeypatch.setattr(model, "encode", limited)
    assert (encoded("halves") == whole).all()


def test_walks_are_the_same_in_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    import scipy.sparse as sp

    links = sp.csr_array(np.ones((5, 5)) - np.eye(5)) / 4
    seeds = sp.csr_array(np.eye(5))
    walks = Walks(links, 0.5, 1e-9, 100)
    (whole,) = walks(seeds)
    walked = walks._walk

    def limited(started: Any, own: Any, total: Any) -> Any:
        return small(lambda _: walked(started, own, total), 2)(total)

    monkeypatch.setattr(walks, "_walk", limited)
    halves = list(walks(seeds))
    assert [one.first for one in halves] == [0, 2, 3]
    assert (np.concatenate([one.values for one in halves], axis=1) == whole.values).all()
