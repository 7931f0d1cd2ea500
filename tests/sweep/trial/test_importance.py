"""The prior of documents as a knob of the pool: trials that read it have it, others stay what they
are.
"""

import json

import numpy as np
import pytest
import torch

from harness.core.configuration import compose
from harness.core.errors import HarnessError
from harness.evaluation.metric import gold_ranks
from harness.fusion.context import Context
from harness.fusion.fuser import Calibrated
from harness.fusion.pool import Pool
from harness.sweep.trial.plan import Plan
from harness.sweep.trial.prepared import Prepared

WEIGHTS = "fuser.weights={bm25:0,dense:1,graph:1}"


def prepared(*given):
    return Prepared.of(Plan(compose("config", given), given))


def test_a_trial_that_reads_the_prior_is_scored_with_it(overrides, tmp_path):
    file = tmp_path / "prior.json"
    file.write_text(json.dumps({f"d{number:02d}": number / 100 for number in range(0, 60, 2)}))
    grid = f"+grid.some={{fuser:[weighted_rrf,rrf],pool.cap:[8],pool.importance:[null,'{file}']}}"
    made = prepared(*overrides, "fuser=weighted_rrf", WEIGHTS, "grid=point", grid)
    trials = made.plan.trials()
    with_prior = [trial for trial in trials if trial.pool.importance]
    assert [trial.name for trial in with_prior] == [
        "weighted_rrf k=60 weights=0:1:1 bonus=0 cap=8 importance=prior"
    ]
    assert (
        len(trials) == 7
    )  # 3 lists, rrf; the point; with the cap, and with the prior; rrf's are left out
    assert len(set(made.hashes(trials))) == len(trials)
    tune, gold = made.benchmark.members("tune"), made.benchmark.gold
    runs = {name: made.runs[name].take(tune) for name in ("dense", "graph")}
    importance = np.array([number / 100 if number % 2 == 0 else 0 for number in range(60)])
    pool = Pool.align(runs, 8, context=Context(importance={"f": importance}), prior="f")
    trial = with_prior[0]
    fused = trial.fuser(Calibrated(pool, trial.normalizer, trial.temperature))
    expected = gold_ranks(
        fused, pool.docs, pool.columns(gold[tune]), torch.from_numpy(gold[tune])
    ).numpy()
    assert np.array_equal(made.ranks([trial], "tune")[0], expected)
    before = made.hashes([trial])[0]
    file.write_text(json.dumps({"d00": 1}))
    assert before not in made.hashes(made.plan.trials())


def test_mistakes_are_said_before_anything_runs(overrides, tmp_path):
    with pytest.raises(HarnessError, match=r"pool\.importance=nowhere\.json:"):
        prepared(*overrides, "pool.importance=nowhere.json").plan.trials()
    (tmp_path / "other.json").write_text('{"someone else": 1}')
    made = prepared(
        *overrides,
        "fuser=weighted_rrf",
        WEIGHTS,
        f"pool.importance={tmp_path}/other.json",
        "grid=point",
    )
    with pytest.raises(HarnessError, match="60 documents"):
        made.ranks(made.plan.trials(), "tune")
