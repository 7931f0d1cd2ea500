"""Trials that learn: no query is scored by what it trained; the lock keeps what was learned, test
is scored by it.
"""

import dataclasses
import json

import numpy as np
import pytest
import torch

from harness.benchmark.split import FOLDS, clusters, folds
from harness.core.configuration.composition import compose
from harness.core.errors import HarnessError
from harness.evaluation.metric import ABSENT, gold_ranks, run_ranks
from harness.fusion.context import Context
from harness.fusion.fuser import Calibrated
from harness.fusion.pool import Pool
from harness.run import Run
from harness.sweep.heldout.locked_trials import heldout
from harness.sweep.recomputation import verify_numbers
from harness.sweep.trial.plan import Plan
from harness.sweep.trial.prepared import Prepared
from harness.sweep.tune import sweep
from tests import process

pytestmark = pytest.mark.plugin("mentions")

GRID = (
    "grid=point",
    "+grid.some={fuser:[learned,linear],fuser.penalty:[0.1,1],normalizer:[pit,minmax],pool.cap:[8]}",
)


@pytest.fixture
def prepared(overrides):
    given = (*overrides, *GRID)
    return Prepared.of(Plan(compose("config", given), given))


@pytest.fixture
def swept(sweep_of):
    return sweep_of(*GRID)


def by_hand(prepared, trial, trained, asked):
    """Gold ranks of queries ``asked`` under what ``trained`` teach."""
    gold = prepared.benchmark.gold
    pools = [
        Pool.align({name: prepared.runs[name].take(queries) for name in trial.pool.lists}, 8)
        for queries in (trained, asked)
    ]
    normalizer = trial.normalizer
    fuser = trial.fuser
    if trial.family == "learned":
        fuser = fuser.fit(Calibrated(pools[0], normalizer, trial.temperature), gold[trained])
    fused = fuser(Calibrated(pools[1], normalizer, trial.temperature))
    return gold_ranks(
        fused, pools[1].docs, pools[1].columns(gold[asked]), torch.from_numpy(gold[asked])
    ).numpy()


def test_folds_follow_from_the_name_alone_and_are_even():
    ids = [f"query {number}" for number in range(5000)]
    assert folds(ids[:7]).tolist() == folds(ids)[:7].tolist()
    assert np.bincount(folds(ids), minlength=FOLDS).min() > 900


def test_on_tune_every_fold_is_scored_by_what_the_others_teach(prepared):
    tune = prepared.benchmark.members("tune")
    ids, labels = (
        prepared.benchmark.query_ids.take(tune).to_pylist(),
        clusters(prepared.benchmark.gold[tune]),
    )
    fold = folds([min(ids[one] for one in np.flatnonzero(labels == label)) for label in labels])
    assert not np.array_equal(fold, folds(ids))
    trials = [trial for trial in prepared.plan.trials() if trial.learns]
    assert len(trials) == 4  # two penalties and two normalizers
    ranks = prepared.ranks(trials, "tune")
    for part in np.unique(fold):
        for number, trial in enumerate(trials):
            expected = by_hand(prepared, trial, tune[fold != part], tune[fold == part])
            assert np.array_equal(ranks[number, fold == part], expected)


def test_trials_beside_those_that_learn_are_scored_as_ever(prepared):
    trials = prepared.plan.trials()
    alone = [trial for trial in trials if not trial.learns]
    together = prepared.ranks(trials, "tune")[
        [number for number, trial in enumerate(trials) if not trial.learns]
    ]
    assert np.array_equal(together, prepared.ranks(alone, "tune"))


def test_the_lock_keeps_what_all_of_tune_teaches_and_test_is_scored_by_it(swept):
    result, prepared = swept
    trials = prepared.plan.trials()
    rows = [row for row in result.lock["fusers"] if row["family"] == "learned"]
    assert set(rows[0]["learned"]) >= {"fuser.coefficients"}
    assert "learned" not in result.trials.columns
    chosen = trials[prepared.hashes(trials).index(rows[0]["trial"])]
    tune, test = (prepared.benchmark.members(split) for split in ("tune", "test"))
    told = heldout(result, prepared, again=False).heldout
    place = [row["trial"] for row in told].index(rows[0]["trial"])
    found = np.load(result.folder / "heldout_ranks.npy")[place]
    assert np.array_equal(found, by_hand(prepared, chosen, tune, test))
    assert np.array_equal(found, prepared.ranks([chosen], "test")[0])


def test_test_queries_teach_nothing(prepared):
    trials = [trial for trial in prepared.plan.trials() if trial.learns]
    gold = prepared.benchmark.gold.copy()
    gold[prepared.benchmark.members("test")] = -1
    runs = {
        name: dataclasses.replace(
            run,
            scores=np.where(
                np.isin(_query(run), prepared.benchmark.members("test")), run.scores / 2, run.scores
            ),
        )
        for name, run in prepared.runs.items()
    }
    blind = dataclasses.replace(
        prepared, benchmark=dataclasses.replace(prepared.benchmark, gold=gold), runs=runs
    )
    assert blind.learned(trials) == prepared.learned(trials)
    assert np.array_equal(blind.ranks(trials, "tune"), prepared.ranks(trials, "tune"))


def _query(run):
    return np.repeat(np.arange(len(run)), run.lengths())


def test_trials_that_learn_are_scored_again_to_the_bit(swept):
    result, prepared = swept
    assert "learned" in set(result.trials["family"])
    assert "the same ranks, to the bit" in list(verify_numbers(result, prepared))[1]


def test_harness_fuse_uses_what_a_sweep_locked(swept, bench, tmp_path):
    result, prepared = swept
    lock = result.lock["winner"]
    out = tmp_path / "fused.trec"
    lists = ",".join(f"{name}: {bench / name}.trec" for name in ("dense", "graph"))
    done = process.harness(
        "fuse", f"lists={{{lists}}}", f"out={out}", f"lock={result.folder}", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert lock["name"] in done.stdout
    run, data = Run.from_trec(out), prepared.benchmark
    trials = prepared.plan.trials()
    chosen = trials[prepared.hashes(trials).index(lock["trial"])]
    fused = run.aligned(data.query_ids, data.doc_ids)
    test = data.members("test")
    assert np.array_equal(
        run_ranks(fused.take(test), data.gold[test]), prepared.ranks([chosen], "test")[0]
    )


@pytest.mark.plugin("site")
def test_harness_trace_ranks_as_what_a_sweep_locked(swept, overrides):
    from harness.plugins.site.trace import trace

    result, prepared = swept
    lock = f"lock={result.folder / 'winner.lock.json'}"
    data, trials = prepared.benchmark, prepared.plan.trials()
    chosen = trials[prepared.hashes(trials).index(result.lock["winner"]["trial"])]
    test = data.members("test")
    for query, ranks in zip(
        test[:3].tolist(), prepared.ranks([chosen], "test")[0][:3].tolist(), strict=True
    ):
        found = trace(compose("trace", [*overrides, f"query={data.query_ids[query]}", lock]))
        assert found.fused == f"fused by {result.lock['winner']['name']}"
        placed = [found.rank(found.fused, doc) for doc in found.gold]
        assert [rank or ABSENT for rank in placed] == ranks
    with pytest.raises(HarnessError, match="fuser=rrf"):
        trace(compose("trace", [*overrides, "query=q1", lock]), ["fuser=rrf", "query=q1"])


def test_trees_are_locked_and_read_back_as_they_were_learned(overrides):
    knobs = "{fuser:[boosted],fuser.trees:[4],fuser.depth:[2],pool.cap:[8],pool.lists:[[dense,graph,bm25]]}"
    given = (*overrides, "grid=point", f"+grid.some={knobs}")
    prepared = Prepared.of(Plan(compose("config", given), given))
    result = sweep(prepared, prepared.plan.trials())
    (row,) = (row for row in result.lock["fusers"] if row["family"] == "boosted")
    assert row["name"] == "boosted trees=4 depth=2 rate=0.1 least=20 cap=8 dense+graph+bm25"
    assert row["learned"]["fuser.forest"]["lists"] == ["bm25", "dense", "graph"]
    (chosen,) = (trial for trial in prepared.plan.trials() if trial.family == "boosted")
    assert row["learned"] == prepared.learned([chosen])[0]
    assert (
        sum(1 for row in heldout(result, prepared, again=False).heldout if "boosted" in row["name"])
        == 1
    )


def test_a_lock_decides_alone(swept, bench, tmp_path):
    path = swept[0].folder / "winner.lock.json"
    for lists, more, words in (
        (
            ("dense", "graph", "bm25"),
            (),
            "fuses the lists dense, graph, lists names dense, graph, bm25; give exactly",
        ),
        (
            ("dense", "graph"),
            ("fuser.alpha=0.1",),
            "fixes what fuser.alpha=0.1 would change; leave one of them out",
        ),
    ):
        named = "lists={" + ",".join(f"{name}: {bench / name}.trec" for name in lists) + "}"
        done = process.harness(
            "fuse", named, f"out={tmp_path}/x.trec", f"lock={path}", *more, cwd=tmp_path
        )
        assert done.returncode == 2
        assert words in done.stderr


WEIGHTS = "fuser.weights={bm25:0,dense:1,graph:1}"


def prior_prepared(*given):
    return Prepared.of(Plan(compose("config", given), given))


def test_a_trial_that_reads_the_prior_is_scored_with_it(overrides, tmp_path):
    file = tmp_path / "prior.json"
    file.write_text(json.dumps({f"d{number:02d}": number / 100 for number in range(0, 60, 2)}))
    grid = f"+grid.some={{fuser:[weighted_rrf,rrf],pool.cap:[8],pool.importance:[null,'{file}']}}"
    made = prior_prepared(*overrides, "fuser=weighted_rrf", WEIGHTS, "grid=point", grid)
    trials = made.plan.trials()
    with_prior = [trial for trial in trials if trial.pool.importance]
    assert [trial.name for trial in with_prior] == [
        "weighted_rrf k=60 bonus=0 weights=0:1:1 cap=8 importance=prior"
    ]
    assert (
        len(trials) == 7
    )  # 3 lists, rrf; the point; with the cap, and with the prior; rrf's are left out
    assert len(set(made.hashes(trials))) == len(trials)
    tune, gold = made.benchmark.members("tune"), made.benchmark.gold
    runs = {name: made.runs[name].take(tune) for name in ("dense", "graph")}
    importance = np.array([number / 100 if number % 2 == 0 else 0 for number in range(60)])
    pool = Pool.align(runs, 8, context=Context(importance={"f": importance}), importance="f")
    trial = with_prior[0]
    fused = trial.fuser(Calibrated(pool, trial.normalizer, trial.temperature))
    expected = gold_ranks(
        fused, pool.docs, pool.columns(gold[tune]), torch.from_numpy(gold[tune])
    ).numpy()
    assert np.array_equal(made.ranks([trial], "tune")[0], expected)
    before = made.hashes([trial])[0]
    file.write_text(json.dumps({"d00": 1}))
    again = dataclasses.replace(made.plan)  # a plan keeps its trials
    assert before not in made.hashes(again.trials())


def test_mistakes_are_said_before_anything_runs(overrides, tmp_path):
    with pytest.raises(HarnessError, match=r"pool\.importance=nowhere\.json:"):
        prior_prepared(*overrides, "pool.importance=nowhere.json").plan.trials()
    (tmp_path / "other.json").write_text('{"someone else": 1}')
    made = prior_prepared(
        *overrides,
        "fuser=weighted_rrf",
        WEIGHTS,
        f"pool.importance={tmp_path}/other.json",
        "grid=point",
    )
    with pytest.raises(HarnessError, match="60 documents"):
        made.ranks(made.plan.trials(), "tune")
