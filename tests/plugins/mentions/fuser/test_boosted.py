"""One tree of one cut by hand, more trees against a plain loop, and what the constraints
promise.
"""

import numpy as np
import pyarrow as pa
import pytest
import torch

from harness.core.errors import HarnessError
from harness.fusion.fuser import Calibrated
from harness.fusion.normalizer.pit import Pit
from harness.fusion.pool import Pool
from harness.fusion.temperature.auto import Auto
from harness.plugins.mentions.fuser.boosted import TIE, Boosted
from harness.run import Run

RUNS = {
    "dense": Run.from_dict({"q": {"a": 0.9, "b": 0.5}, "r": {"c": 0.9, "d": 0.2}}),
    "graph": Run.from_dict({"q": {"d": 0.3}, "r": {"a": 0.5}}),
}
GOLD = np.array([[0, -1], [2, -1]], dtype=np.int32)


def pool(runs=RUNS) -> Calibrated:
    ids, docs = RUNS["dense"].query_ids, pa.array(["a", "b", "c", "d"])
    aligned = {name: run.aligned(ids, docs) for name, run in runs.items()}
    return Calibrated(Pool.align(aligned), Pit(), Auto())


def test_one_tree_by_hand() -> None:
    """Six documents, two wanted, both first in dense: p = 1/3, a wanted one pulls by 1/p = 3,
    another by -1/(1-p).
    """
    fitted = Boosted(trees=1, depth=1, rate=0.5, least=1, features=["rank"]).fit(pool(), GOLD)
    found = fitted(pool())
    first = {"q": 0, "r": 2}
    for row, query in enumerate(first):
        for place, doc in enumerate(pool().pool.docs[row].tolist()):
            if doc >= 0:
                leaf = 3.0 if doc == first[query] else -1.5
                assert found[row, place].item() == pytest.approx(0.5 * leaf, abs=4 * TIE)
    assert fitted.forest["lists"] == ["dense", "graph"]


def test_it_finds_what_no_sum_over_lists_finds(random_runs) -> None:
    """Wanted is what both lists have in their better half: an "and", which a line through both
    scores parts worse.
    """
    random = np.random.default_rng(4)
    docs = [f"d{number:02d}" for number in range(40)]
    points = random.random((2, 60, 40))
    runs = {}
    for name, scores in zip(("dense", "graph"), points, strict=True):
        lists = {f"q{q:02d}": dict(zip(docs, scores[q], strict=True)) for q in range(60)}
        runs[name] = Run.from_dict(lists)
    both = (points > 0.7).all(axis=0)
    gold = np.full((60, 40), -1, dtype=np.int32)
    for row, wanted in enumerate(both):
        gold[row, : wanted.sum()] = np.flatnonzero(wanted)
    kept = both.any(axis=1)
    some = {name: run.take(np.flatnonzero(kept)) for name, run in runs.items()}
    given = Calibrated(Pool.align(some), Pit(), Auto())
    scores = Boosted(features=["score"], least=5, rate=0.3).fit(given, gold[kept])(given)
    worst = torch.where(torch.from_numpy(both[kept]), scores, torch.inf).amin(1)
    others = torch.where(torch.from_numpy(both[kept]), -torch.inf, scores).amax(1)
    assert (worst > others).double().mean() > 0.9


def test_a_better_place_never_counts_against_a_document(random_runs) -> None:
    runs = random_runs(seed=8, ties=False, names=("dense", "graph"))
    gold = np.random.default_rng(9).integers(0, 50, (40, 2)).astype(np.int32)
    fitted = Boosted(least=2, rate=1.0).fit(Calibrated(Pool.align(runs), Pit(), Auto()), gold)
    alone = {"dense": runs["dense"]}
    given = Calibrated(Pool.align(alone), Pit(), Auto())
    ordered = fitted(given).gather(1, torch.argsort(given["dense"].ranks, dim=1))
    present = given.pool.listings["dense"].present
    falls = ordered[:, 1:] < ordered[:, :-1]
    assert falls[present[:, 1:]].all()


def test_what_it_cannot_do_is_said() -> None:
    with pytest.raises(HarnessError, match=r"fuser=boosted.*`harness sweep`"):
        Boosted()(pool())
    fitted = Boosted(trees=1, least=1).fit(pool(), GOLD)
    with pytest.raises(HarnessError, match=r"fuser\.forest.*bm25"):
        fitted(pool({**RUNS, "bm25": RUNS["dense"]}))
    with pytest.raises(HarnessError, match=r"fuser=boosted.*2.*0.*6"):
        Boosted().fit(pool(), np.full((2, 1), -1, dtype=np.int32))
    with pytest.raises(HarnessError, match=r"fuser\.depth.*\[1.*6\].*depth=7"):
        Boosted(depth=7)
