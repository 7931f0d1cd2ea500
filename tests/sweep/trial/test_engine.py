"""The engine against fusing, sorting and looking up one trial at a time."""

import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.evaluation.metric import ABSENT, NONE
from harness.fusion.pool import PoolSpec
from harness.run import Run
from harness.sweep.trial import engine
from harness.sweep.trial.engine import ceiling, pool_size
from tests.sweep.trial.test_grid import grid

QUERIES, DOCS = 30, 80
GOLD = np.array(
    [[q % DOCS, (q * 7 + 3) % DOCS, -1 if q % 3 else (q * 5 + 1) % DOCS] for q in range(QUERIES)],
    dtype=np.int32,
)


@pytest.fixture(scope="module")
def runs():
    rng = np.random.default_rng(5)
    made = {}
    for name, depth in (("dense", 10), ("graph", 60), ("bm25", 5)):
        rows = [
            (q, d) for q in range(QUERIES) if q % 11 for d in rng.choice(DOCS, depth, replace=False)
        ]
        scores = np.round(rng.random(len(rows)), 1)  # many ties
        ids = [f"q{q}" for q in range(QUERIES)], [f"d{d:02d}" for d in range(DOCS)]
        made[name] = Run.of(*ids, [q for q, _ in rows], [d for _, d in rows], scores)
    return made


def rrf_by_hand(lists, cap, k, q):
    scores = {}
    for name in ("dense", "graph"):
        ranked = list(lists[name][f"q{q}"])
        for rank, doc in enumerate(ranked[: cap if name == "graph" else None], start=1):
            scores[doc] = scores.get(doc, 0) + 1 / (k + rank)
    return sorted(scores, key=lambda doc: (-scores[doc], doc))


@pytest.mark.parametrize("cap", [None, 7])
def test_rrf_of_two_lists_by_hand(runs, cap):
    trials = grid({"fuser": ["rrf"], "fuser.k": [13], "pool.cap": [cap]}).trials()[-1:]
    ranks = engine.score(trials, runs, GOLD)[0]
    lists = {name: run.to_dict() for name, run in runs.items()}
    check_ranks(ranks, [rrf_by_hand(lists, cap, 13, q) for q in range(QUERIES)])


def check_ranks(ranks, ranked):
    """ranked: the documents of each question, best first."""
    for q, h in itertools.product(range(QUERIES), range(3)):
        doc, own = f"d{GOLD[q, h]:02d}", ranked[q]
        expected = NONE if GOLD[q, h] < 0 else own.index(doc) + 1 if doc in own else ABSENT
        assert ranks[q, h] == expected


def test_progress_counts_each_query_of_each_trial(runs, monkeypatch):
    counted = []

    class Bar:
        def __init__(self, stage, total, unit):
            counted.append(total)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def update(self, count):
            counted.append(count)

    monkeypatch.setattr(engine, "Progress", Bar)
    trials = grid({"fuser": ["rrf", "combsum"], "pool.cap": [5, None]}).trials()
    engine.score(trials, runs, GOLD, progress=True)
    total, *parts = counted
    assert total == sum(parts) == len(trials) * QUERIES


def test_a_single_list_has_its_own_ranks(runs):
    trials = grid({}).trials()[:3]
    ranks = engine.score(trials, runs, GOLD)
    for number, name in enumerate(("dense", "graph", "bm25")):
        check_ranks(ranks[number], [list(own) for own in runs[name].to_dict().values()])


AXES = {
    "fuser": ["rrf", "linear", "boltzmann", "combmnz"],
    "fuser.k": [60],
    "normalizer": ["pit", "minmax", "tmm"],
    "temperature": ["auto", "wasserstein"],
    "pool.cap": [9, None],
}


def test_ranks_do_not_depend_on_blocks_threads_or_company(runs, monkeypatch):
    trials = grid(AXES).trials()
    together = engine.score(trials, runs, GOLD)
    monkeypatch.setattr("harness.fusion.fuse.CELLS", 1)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert np.array_equal(engine.score(trials, runs, GOLD), together)
    alone = np.concatenate([engine.score([trial], runs, GOLD) for trial in reversed(trials)])[::-1]
    assert np.array_equal(alone, together)
    half = np.arange(0, QUERIES, 2)
    some = engine.score(trials, {name: run.take(half) for name, run in runs.items()}, GOLD[half])
    assert np.array_equal(some, together[:, half])


@given(
    st.integers(0, 2**32),
    st.sampled_from([2, 5, 1000]),
    st.lists(st.integers(1, 70), min_size=1, max_size=3),
)
@settings(max_examples=8)
def test_ranks_are_those_of_the_fused_scores_one_trial_at_a_time(seed, kinds, caps):
    random = np.random.default_rng(seed)
    ids = [f"q{q}" for q in range(5)], [f"d{d:02d}" for d in range(90)]

    def ranked() -> Run:
        lengths = random.integers(0, 80, 5)
        docs = np.concatenate([random.permutation(90)[:length] for length in lengths])
        return Run.of(
            *ids,
            np.repeat(np.arange(5), lengths),
            docs,
            random.integers(0, kinds, len(docs)) / kinds,
        )

    lists = {name: ranked() for name in ("dense", "graph", "bm25")}
    gold = -np.sort(-random.integers(-1, 90, (5, 3)).astype(np.int32))
    axes = {
        **AXES,
        "fuser.alpha": [0.2, 0.5],
        "fuser.beta": [0, 0.1, 0.5],
        "pool.cap": [*caps, None],
    }
    trials = grid(axes).trials()
    ranks = engine.score(trials, lists, gold)
    for place in random.permutation(len(trials))[:25]:
        trial, found = trials[place], ranks[place]
        pool = trial.pool.align(lists, "cpu")
        fused, docs = trial.fused(pool).numpy(), pool.docs.numpy()
        for q, h in itertools.product(range(5), range(3)):
            ranked_docs = docs[q][np.lexsort((docs[q], -fused[q]))]
            ranked_docs = ranked_docs[ranked_docs >= 0].tolist()
            missing = NONE if gold[q, h] < 0 else ABSENT
            expected = ranked_docs.index(gold[q, h]) + 1 if gold[q, h] in ranked_docs else missing
            assert found[q, h] == expected, trial.name


def test_the_ceiling_is_what_a_perfect_fuser_would_reach(runs):
    spec = grid({"pool.cap": [3]}).trials()[-1].pool
    lists = {name: runs[name].to_dict() for name in ("dense", "graph")}
    found = 0
    for q in range(QUERIES):
        last = f"d{GOLD[q][GOLD[q] >= 0][-1]:02d}"
        found += last in lists["dense"][f"q{q}"] or last in list(lists["graph"][f"q{q}"])[:3]
    assert engine.ceiling(spec, runs, GOLD) == pytest.approx(found / QUERIES, abs=0)


def test_no_queries_no_ranks(runs):
    nothing = {name: run.take(np.arange(0)) for name, run in runs.items()}
    assert engine.score(grid({}).trials(), nothing, GOLD[:0]).shape == (5, 0, 3)
    assert isinstance(runs["dense"].query_ids, pa.Array)


SIZED = ["a", "b", "c", "d", "e"]


def sized() -> dict[str, Run]:
    """q0: dense a b, graph b c d e; q1: dense a, graph nothing."""
    dense = Run.of(["q0", "q1"], SIZED, [0, 0, 1], [0, 1, 0], [2.0, 1.0, 1.0])
    graph = Run.of(["q0", "q1"], SIZED, [0, 0, 0, 0], [1, 2, 3, 4], [4.0, 3.0, 2.0, 1.0])
    return {"dense": dense, "graph": graph}


def test_the_mean_size_of_the_union_after_the_cap() -> None:
    lists = ("dense", "graph")
    assert pool_size(PoolSpec(lists, None, ("graph",)), sized()) == (5 + 1) / 2
    assert pool_size(PoolSpec(lists, 2, ("graph",)), sized()) == (3 + 1) / 2
    assert pool_size(PoolSpec(lists, 1, ("dense",)), sized()) == (5 + 1) / 2
    assert pool_size(PoolSpec(("dense",), 1, ("graph",)), sized()) == (2 + 1) / 2


def test_the_ceiling_is_of_the_last_hop_however_many_there_are() -> None:
    """q0's last hop is c, after an e that dense lacks, too; q1 has one passage, a. Padding
    is -1.
    """
    gold = np.array([[4, 2], [0, -1]], dtype=np.int32)
    dense, both = (
        PoolSpec(("dense",), None, ("graph",)),
        PoolSpec(("dense", "graph"), None, ("graph",)),
    )
    assert (ceiling(dense, sized(), gold), ceiling(both, sized(), gold)) == (0.5, 1.0)
    assert ceiling(both, sized(), gold[:, ::-1].copy()[:1]) == 1.0  # e, the last of graph's
    assert (
        ceiling(PoolSpec(("dense", "graph"), 1, ("graph",)), sized(), gold) == 0.5
    )  # the cap leaves b alone
    assert ceiling(PoolSpec(("dense", "graph"), 2, ("graph",)), sized(), gold) == 1.0
