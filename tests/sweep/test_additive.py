"""The ranks that are counted in the lists' own order are those of the fused scores, to the bit."""

import numpy as np
import pytest
import torch

from harness.configuration import names, strategy
from harness.errors import HarnessError
from harness.fuser import Calibrated, check
from harness.metric import gold_ranks
from harness.metric.additive import Layout, additive_ranks
from harness.metric.additive_kernel import SHORT
from harness.pool import Pool
from harness.run import Run

WEIGHTS = [{"dense": 0.5, "graph": 0.3, "bm25": 0.2}, {"dense": 0.0, "graph": 1.0, "bm25": 0.1}]
KNOBS = [{"alpha": 0.7, "beta": 0.25}, {"alpha": 0.0}, {"alpha": 1.0, "beta": 1.0}, {"k": 0}, {"k": 60}, {}]
GOLD = np.random.default_rng(1).permuted(np.tile(np.arange(-1, 59, dtype=np.int32), (40, 1)), axis=1)[:, :6]
GOLD = -np.sort(-GOLD, axis=1)
ADDITIVE = [name for name in names("fuser") if hasattr(strategy("fuser", name), "terms")]


def straightforward(fuser, pool) -> np.ndarray:
    return gold_ranks(fuser(pool), pool.pool.docs, pool.pool.columns(GOLD), torch.from_numpy(GOLD)).numpy()


def counted(fuser, pool) -> np.ndarray | None:
    terms = fuser.terms(pool)
    return None if terms is None else additive_ranks(Layout.of(pool.pool.runs, GOLD), [terms])[0]


def chosen(name: str, knobs: dict) -> list:
    fields = strategy("fuser", name).__dataclass_fields__
    return [strategy("fuser", name, **knobs)] if knobs.keys() <= fields.keys() else []


def test_the_main_fusers_are_counted() -> None:
    assert {"rrf", "linear", "boltzmann", "combsum", "combmnz", "tsallis"} <= set(ADDITIVE)


@pytest.mark.parametrize("normalizer", names("normalizer"))
@pytest.mark.parametrize("name", ADDITIVE)
@pytest.mark.parametrize("ties", [True, False])
def test_as_the_fused_scores_say(name, normalizer, ties, random_runs, taught) -> None:
    compared = 0
    for lists in (("dense", "graph"), ("graph", "dense"), ("dense",), ("dense", "graph", "bm25")):
        runs = random_runs(seed=len(lists), ties=ties)
        for cap in (None, 3):
            pool = Pool.align({key: runs[key] for key in lists}, cap)
            for heat in ("auto", "fixed", "wasserstein"):
                pool_of = Calibrated(pool, taught("normalizer", normalizer), strategy("temperature", heat))
                knobs = [{"weights": weights, "beta": 0.5} for weights in WEIGHTS] if len(lists) != 2 else KNOBS
                for fuser in [fuser for one in (*knobs, {}) for fuser in chosen(name, one)]:
                    try:
                        check(fuser, pool_of.normalizer)
                        ranks = counted(fuser, pool_of)
                    except HarnessError:
                        continue
                    if ranks is not None:
                        compared += 1
                        assert np.array_equal(ranks, straightforward(fuser, pool_of))
    assert compared or normalizer in ("none", "zscore")


def test_a_list_whose_values_do_not_descend_is_searched_one_by_one(random_runs) -> None:
    runs = random_runs(ties=False)
    pool = Calibrated(Pool.align({"dense": runs["dense"], "graph": runs["graph"]}), strategy("normalizer", "pit"),
                      strategy("temperature", "auto"))  # fmt: skip
    values = pool.listed("graph")
    values.copy_(values.roll(1, dims=1))
    fuser = strategy("fuser", "linear", alpha=0.4, beta=0.25)
    assert np.array_equal(counted(fuser, pool), straightforward(fuser, pool))


def test_what_is_not_finite_is_left_to_the_fused_scores(random_runs) -> None:
    runs = random_runs(ties=False)
    pool = Calibrated(Pool.align({"dense": runs["dense"], "graph": runs["graph"]}), strategy("normalizer", "pit"),
                      strategy("temperature", "auto"))  # fmt: skip
    pool.listed("graph")[5, 0] = torch.nan
    assert additive_ranks(Layout.of(pool.pool.runs, GOLD), [strategy("fuser", "linear").terms(pool)]) is None


def test_many_weights_at_once_are_each_alone(random_runs) -> None:
    runs = random_runs()
    pool = Calibrated(Pool.align({"dense": runs["dense"], "graph": runs["graph"]}), strategy("normalizer", "minmax"),
                      strategy("temperature", "auto"))  # fmt: skip
    fusers = [strategy("fuser", "linear", alpha=a, beta=b) for a in (0, 0.3, 1) for b in (0, 0.5)]
    layout = Layout.of(pool.pool.runs, GOLD)
    together = additive_ranks(layout, [fuser.terms(pool) for fuser in fusers])
    for ranks, fuser in zip(together, fusers, strict=True):
        assert np.array_equal(ranks, straightforward(fuser, pool))


def test_no_queries(random_runs) -> None:
    nothing = {name: run.take(np.arange(0)) for name, run in random_runs().items() if name != "bm25"}
    pool = Calibrated(Pool.align(nothing), strategy("normalizer", "pit"), strategy("temperature", "auto"))
    terms = strategy("fuser", "rrf").terms(pool)
    assert additive_ranks(Layout.of(nothing, GOLD[:0]), [terms]).shape == (1, 0, 6)
    assert isinstance(nothing["dense"], Run)


@pytest.mark.parametrize("ties", [True, False])
def test_long_lists_are_searched(ties) -> None:
    random = np.random.default_rng(5)
    ids = [f"q{q}" for q in range(6)], [f"d{d:03d}" for d in range(600)]
    gold = random.permuted(np.tile(np.arange(600, dtype=np.int32), (6, 1)), axis=1)[:, :8]

    def run(depth: int) -> Run:
        docs = np.concatenate([random.permutation(600)[:depth] for _ in range(6)])
        scores = random.random(len(docs))
        return Run.of(*ids, np.repeat(np.arange(6), depth), docs, np.round(scores, 1) if ties else scores)

    runs = {"dense": run(50), "graph": run(400), "bm25": run(300)}
    assert np.diff(Layout.of(runs, gold).bounds).max() > SHORT
    for lists in (("dense", "graph"), ("graph", "bm25"), ("dense", "graph", "bm25")):
        pool = Calibrated(Pool.align({name: runs[name] for name in lists}), strategy("normalizer", "pit"),
                          strategy("temperature", "auto"))  # fmt: skip
        own = {"weights": WEIGHTS[0]} if len(lists) == 3 else {"alpha": 0.3}
        fusers = [strategy("fuser", "rrf"), strategy("fuser", "combmnz")]
        fusers += [strategy("fuser", name, beta=0.1, **own) for name in ("linear", "boltzmann")]
        for fuser in fusers:
            found = additive_ranks(Layout.of(pool.pool.runs, gold), [fuser.terms(pool)])
            fused = gold_ranks(fuser(pool), pool.pool.docs, pool.pool.columns(gold), torch.from_numpy(gold))
            assert np.array_equal(found[0], fused.numpy())
