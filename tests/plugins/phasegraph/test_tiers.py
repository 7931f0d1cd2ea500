"""The grids of PhaseGraph's three tiers, and what a reranker needs beside the scores."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from harness.core.configuration.composition import compose
from harness.core.errors import HarnessError
from harness.evaluation.metric import ABSENT
from harness.fusion.context import Context
from harness.fusion.fuser import Calibrated
from harness.fusion.pool import Pool
from harness.sweep.trial import engine
from harness.sweep.trial.plan import Plan
from harness.sweep.trial.prepared import Prepared
from harness.testing.lists import random_runs
from tests.sweep.trial.test_grid import grid


def test_tiers_have_at_least_the_published_numbers_of_different_trials():
    overrides = ("grid=tiers", "tracking=none")
    plan = Plan(compose(overrides=overrides), overrides)
    trials = plan.trials()
    assert len({repr(trial.identity) for trial in trials}) == len(trials) >= 667
    baselines = {trial.overrides for trial in trials if plan.grid.untuned(trial)}
    for name, least in (("tier1", 102), ("tier2", 277), ("tier3", 288)):
        blocks = {*compose(overrides=[f"grid={name}"]).grid}
        own = {trial.overrides for trial in trials if blocks & {*plan.grid.blocks_of(trial)}}
        assert len(own | baselines) >= least


def test_a_reranker_sees_the_entities_of_the_first_list_that_has_any():
    runs = {name: random_runs()[name] for name in ("dense", "graph")}
    entities = csr_array((np.random.default_rng(0).random((60, 30)) < 0.1).astype(float))
    gold = np.array([[q % 60] for q in range(40)], dtype=np.int32)
    axes = {"reranker": ["ising"], "reranker.J": [0.5, 4.0], "reranker.T": [0.25]}
    trials = grid({**axes, "reranker.blend": [0.3, 1.0]}).trials()[4:]
    context = Context(mentions={"graph": entities})
    ranks = engine.score(trials, runs, gold, context=context)
    for trial, found in zip(trials, ranks, strict=True):
        aligned = Pool.align(runs, context=context)
        pool = Calibrated(aligned, trial.normalizer, trial.temperature)
        fused = trial.reranker(trial.fuser(pool), pool)
        order = np.lexsort((pool.pool.docs.numpy(), -fused.numpy()), axis=-1)
        for q in range(40):
            docs = pool.pool.docs[q].numpy()[order[q]]
            listed = docs[docs >= 0].tolist()
            assert found[q, 0] == (listed.index(q) + 1 if q in listed else ABSENT)


def test_ising_over_foreign_runs_says_what_is_missing(overrides):
    overrides = [*overrides, "grid=point", "reranker=ising"]
    prepared = Prepared.of(Plan(compose(overrides=overrides), tuple(overrides)))
    with pytest.raises(HarnessError, match="reranker=ising"):
        prepared.ranks(prepared.plan.trials(), "tune")
