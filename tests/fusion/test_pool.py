"""Runs aligned on the union of their documents."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from harness.core.errors import HarnessError
from harness.fusion.context import Context
from harness.fusion.pool import Pool, PoolSpec
from harness.run import Run

QUERIES = ["q1", "q2", "q3"]
DOCS = ["a", "b", "c", "d"]


def run(*entries: tuple[int, int, float]) -> Run:
    return Run.of(QUERIES, DOCS, *([entry[side] for entry in entries] for side in range(3)))


@pytest.fixture
def runs() -> dict[str, Run]:
    return {
        "dense": run((0, 3, 0.9), (0, 1, 0.5), (1, 2, 0.7)),
        "graph": run((0, 0, 3.0), (0, 1, 2.0), (0, 2, 1.0)),
    }


def test_a_row_holds_the_union_ascending_then_padding(runs) -> None:
    pool = Pool.align(runs)
    assert pool.docs.tolist() == [[0, 1, 2, 3], [2, -1, -1, -1], [-1, -1, -1, -1]]
    assert pool.docs.dtype == torch.int32
    assert pool.shape == (3, 4)


def test_listings_keep_their_own_order(runs) -> None:
    pool = Pool.align(runs)
    dense = pool.listings["dense"]
    assert dense.scores.tolist() == [[0.9, 0.5], [0.7, 0], [0, 0]]
    assert dense.present.tolist() == [[True, True], [True, False], [False, False]]
    assert dense.ranks.tolist() == [[1, 2], [1, 0], [0, 0]]
    assert pool.slots("dense").tolist() == [3, 1, 4]


def test_spread_brings_values_into_the_columns(runs) -> None:
    pool = Pool.align(runs)
    scores = pool.listings["dense"].scores
    assert pool.spread("dense", scores, -1.0).tolist() == [
        [-1, 0.5, -1, 0.9],
        [0.7, -1, -1, -1],
        [-1] * 4,
    ]
    absent = torch.tensor([[-1.0], [-2.0], [-3.0]], dtype=torch.float64)
    assert pool.spread("dense", scores, absent).tolist() == [
        [-1, 0.5, -1, 0.9],
        [0.7, -2, -2, -2],
        [-3] * 4,
    ]
    assert absent.flatten().tolist() == [-1, -2, -3]


def test_the_cap_cuts_the_capped_lists_alone(runs) -> None:
    assert Pool.align(runs, cap=1).docs.tolist() == [[0, 1, 3], [2, -1, -1], [-1, -1, -1]]
    assert Pool.align(runs, cap=1, capped=("dense",)).docs.tolist()[0] == [0, 1, 2, 3]
    assert Pool.align(runs, cap=1, capped=("dense", "graph")).docs.tolist()[0] == [0, 3]


def test_columns_of_documents(runs) -> None:
    wanted = np.array([[3, 0], [1, -1], [2, -1]], dtype=np.int32)
    assert Pool.align(runs).columns(wanted).tolist() == [[3, 0], [-1, -1], [-1, -1]]


def test_a_prior_follows_the_documents(runs) -> None:
    pool = Pool.align(
        runs,
        context=Context(importance={"file": np.array([0.1, 0.2, 0.3, 0.4])}),
        importance="file",
    )
    assert pool.importance is not None
    assert pool.importance[0].tolist() == [0.1, 0.2, 0.3, 0.4]
    assert pool.importance[1, 0] == 0.3
    assert Pool.align(runs).importance is None


def test_mentions_are_carried_along(runs) -> None:
    mentions = csr_array((4, 2))
    assert Pool.align(runs, context=Context(mentions={"graph": mentions})).mentions is mentions
    assert (
        Pool.align({"dense": runs["dense"]}, context=Context(mentions={"graph": mentions})).mentions
        is None
    )


def test_no_documents_and_no_queries() -> None:
    empty = Pool.align({"dense": run(), "graph": run()})
    assert empty.shape == (3, 0)
    assert empty.spread("dense", empty.listings["dense"].scores, 0.0).shape == (3, 0)
    assert empty.columns(np.array([[0], [1], [-1]], dtype=np.int32)).tolist() == [[-1], [-1], [-1]]
    none = Run.of([], DOCS, [], [], [])
    assert Pool.align({"dense": none}).shape == (0, 0)


@given(
    st.lists(
        st.dictionaries(st.integers(0, 9), st.integers(0, 4), max_size=8), min_size=2, max_size=2
    )
)
def test_every_entry_is_found_again(lists: list[dict[int, int]]) -> None:
    named = dict(zip(("dense", "graph"), lists, strict=True))
    pool = Pool.align(
        {
            name: Run.of(
                ["q"], [str(n) for n in range(10)], [0] * len(held), list(held), list(held.values())
            )
            for name, held in named.items()
        }
    )
    assert pool.docs[0].tolist() == sorted(set(lists[0]) | set(lists[1]))
    for name, held in named.items():
        spread = pool.spread(name, pool.listings[name].scores, -1.0)[0].tolist()
        assert dict(zip(pool.docs[0].tolist(), spread, strict=True)) == {
            doc: held.get(doc, -1) for doc in pool.docs[0].tolist()
        }


def test_a_specification_cuts_the_capped_lists_and_checks_its_fields(runs: dict[str, Run]) -> None:
    spec = PoolSpec(("graph", "dense"), 1, ("graph", "absent"))
    assert [(name, len(run.docs)) for name, run in spec.cut(runs).items()] == [
        ("graph", len(runs["graph"].top(1).docs)),
        ("dense", len(runs["dense"].docs)),
    ]
    assert (spec.effective_cap, spec.description) == (1, "the 1 best documents of graph")
    assert PoolSpec(("dense",), 5).effective_cap is None
    for wrong in (
        {"cap": 0},
        {"cap": "1"},
        {"lists": ()},
        {"capped": "graph"},
        {"reference": "c"},
        {"importance": 1},
    ):
        fields: Any = {"lists": ("dense", "graph"), **wrong}
        with pytest.raises(HarnessError, match="|".join(wrong)):
            PoolSpec(**fields)
