"""The protocol: tune alone is seen, the choice is locked, test is scored once, and what changed is
named.
"""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

import harness
from harness.benchmark import md5_split
from harness.benchmark.split import clusters
from harness.core.configuration.composition import compose
from harness.core.errors import HarnessError
from harness.core.identity import sealed
from harness.evaluation.metric import Metric
from harness.evaluation.statistic import clustered_mcnemar, design_effect, too_few
from harness.sweep.folder.inventory import latest
from harness.sweep.folder.result import LOCK, SweepResult
from harness.sweep.heldout.ledger import Ledger
from harness.sweep.heldout.locked_trials import heldout
from harness.sweep.trial.plan import Plan, reopen
from harness.sweep.trial.prepared import Prepared
from harness.sweep.tune import sweep
from tests import process
from tests.world.folder import copy_benchmark

SMALL = (
    "grid=point",
    "+grid.some={fuser:[linear,rrf,boltzmann],fuser.k:[10,60],fuser.alpha:[0.3,0.6],pool.cap:[8]}",
)


@pytest.fixture
def swept(sweep_of):
    return sweep_of(*SMALL)


def test_a_benchmark_without_a_test_question_is_named_when_it_is_swept(overrides, bench, tmp_path):
    own = copy_benchmark(
        bench, tmp_path / "own", lambda _, row: row if md5_split(row["id"]) == "tune" else None
    )
    given = [
        f"dataset.path={own}" if text.startswith("dataset.path=") else text for text in overrides
    ]
    done = process.harness("sweep", *given, "grid=point", cwd=tmp_path, check=True)
    warning = "own: no question is in test, so the choice on tune can never be evaluated"
    assert done.stderr.count(warning) == 1
    assert done.stderr.index(warning) < done.stderr.index("retrieve lists.")


def test_a_sweep_leaves_its_stable_files(swept, tmp_path):
    result, _ = swept
    names = {path.name for path in result.folder.iterdir()}
    assert names == {
        "config.yaml",
        "comparisons.parquet",
        "trials.parquet",
        "queries.parquet",
        "ranks.npy",
        "manifest.json",
        "scores.parquet",
        LOCK,
    }
    assert latest(tmp_path / "runs") == result.folder
    stable = {
        "trial",
        "name",
        "overrides",
        "dataset",
        "split",
        "n",
        "last_hop@5",
        "wins",
        "losses",
        "p",
        "p_holm",
        "p_cluster",
    }
    assert stable <= set(result.trials.columns)


def test_only_tune_is_seen(swept):
    result, prepared = swept
    assert set(result.trials["split"]) == {"tune"}
    assert {md5_split(name) for name in result.queries["id"]} == {"tune"}
    assert result.ranks.shape == (len(result.trials), len(result.queries), 2)
    assert result.trials["n"].unique().tolist() == [len(prepared.benchmark.members("tune"))]


def test_metrics_and_wins_follow_from_the_ranks(swept):
    result, _ = swept
    dense = result.trials["name"].tolist().index("dense")
    hit = (result.ranks[:, :, 1] >= 1) & (
        result.ranks[:, :, 1] <= 5
    )  # every question has two gold passages
    for number, row in result.trials.iterrows():
        assert row["last_hop@5"] == pytest.approx(hit[number].mean())
        if number != dense:
            assert row["wins"] == (hit[number] & ~hit[dense]).sum()
            assert row["losses"] == (~hit[number] & hit[dense]).sum()
    assert pd.isna(result.trials.loc[dense, ["wins", "losses", "p", "p_holm"]]).all()


def test_the_leaderboard_is_in_the_order_of_the_rule(swept):
    result, _ = swept
    keys = []
    for row in result.trials.to_dict("records"):
        alpha = json.loads(row["parameters"]).get("fuser.alpha", 0.5)
        losses = 0 if pd.isna(row["losses"]) else row["losses"]
        keys.append((-row["last_hop@5"], losses, round(abs(alpha - 0.5), 9), row["name"]))
    assert keys == sorted(keys)


def test_the_lock_holds_the_winner_the_best_of_each_fuser_and_the_baselines(swept):
    result, _ = swept
    fused = result.trials[result.trials["family"] != "single"]
    lock = result.lock
    assert lock["winner"]["trial"] == fused.iloc[0]["trial"]
    assert {row["family"] for row in lock["fusers"]} == {"linear", "rrf", "boltzmann"}
    assert {row["name"] for row in lock["baselines"]} == {"dense", "graph", "bm25", "rrf k=60"}
    assert lock["best_single"] == result.trials[result.trials["family"] == "single"].iloc[0]["name"]


def test_sweeping_again_gives_the_same_bytes(swept, overrides):
    _, prepared = swept
    result = sweep(prepared, prepared.plan.trials())
    before = {path.name: path.read_bytes() for path in result.folder.iterdir()}
    plan = Plan(compose("config", [*overrides, *SMALL]), (*overrides, *SMALL))
    again = sweep(Prepared.of(plan), plan.trials())
    assert again.folder == result.folder
    for name, data in before.items():
        if name != "manifest.json":  # it holds the seconds
            assert (again.folder / name).read_bytes() == data


def test_heldout_scores_exactly_the_lock_on_test(swept, tmp_path):
    result, prepared = swept
    result = heldout(result, prepared, again=False)
    rows = result.heldout
    locked = {result.lock["winner"]["trial"]}
    locked |= {row["trial"] for part in ("fusers", "baselines") for row in result.lock[part]}
    assert {row["trial"] for row in rows} == locked
    assert {row["split"] for row in rows} == {"test"}
    assert {row["evaluation"] for row in rows} == {1}
    assert {md5_split(name) for name in result.heldout_queries["id"]} == {"test"}
    assert rows[0]["roles"][0] == "winner"
    for number, row in enumerate(rows):
        ranks = result.heldout_ranks[number, :, 1]
        assert row["last_hop@5"] == pytest.approx(np.mean((ranks >= 1) & (ranks <= 5)))
        assert row["wilson"][0] <= row["last_hop@5"] <= row["wilson"][1]
    entries = Ledger(tmp_path / "runs" / "ledger.jsonl").entries()
    assert [(entry["sweep"], entry["evaluation"]) for entry in entries] == [(result.folder.name, 1)]


def distance(values, labels, mean):
    """Standard errors between the hits and those that ``mean`` lets expect, the error that of whole
    clusters.
    """
    sums, sizes = np.bincount(labels, values), np.bincount(labels)
    effect = ((sums - mean * sizes) ** 2).sum() / ((values - mean) ** 2).sum()
    return (values.sum() - len(values) * mean) / np.sqrt(
        len(values) * mean * (1 - mean) * max(1, effect)
    )


def test_heldout_judges_by_the_clusters_of_test(swept):
    result, prepared = swept
    rows = heldout(result, prepared, again=False).heldout
    labels = clusters(prepared.benchmark.gold[prepared.benchmark.members("test")])
    values = Metric.parse("last_hop@5")(result.heldout_ranks)
    dense = values[[row["name"] for row in rows].index("dense")]
    rest = np.sort(np.bincount(labels))[:-1]
    critical = t.ppf(0.975, max(1, rest.sum() ** 2 / (rest**2).sum()))
    for row, own in zip(rows, values, strict=True):
        if row["name"] != "dense":
            p = (
                None
                if too_few(labels)
                else pytest.approx(clustered_mcnemar(np.sign(own - dense), labels))
            )
            assert row["p_cluster"] == p
        assert (row["wilson_cluster"] is None) == too_few(labels)
        for bound in row["wilson_cluster"] or ():
            if 0 < bound < 1:
                assert abs(distance(own, labels, bound)) == pytest.approx(critical, rel=1e-6)
    assert max(design_effect(own, labels) for own in values) > 1


def test_the_best_single_list_is_the_one_with_the_most(swept):
    """It is not compared with itself; another list has won and lost queries against it as its ranks
    say.
    """
    result, _ = swept
    rows = result.whole.rows
    singles = {row.name: place for place, row in enumerate(rows) if row.is_single}
    scores = {name: rows[place].scores["last_hop@5"] for name, place in singles.items()}
    best = max(scores, key=lambda name: scores[name])
    assert len({*scores.values()}) > 1
    assert result.lock["best_single"] == best
    assert result.whole.outcome(singles[best], best) is None
    values = result.whole.scores
    for name, place in singles.items():
        if name != best:
            one = result.whole.outcome(place, best)
            assert one.wins == (values[place] > values[singles[best]]).sum()
            assert one.losses == (values[place] < values[singles[best]]).sum()


def test_a_second_evaluation_must_be_asked_for_and_says_so(swept):
    result, prepared = swept
    first = heldout(result, prepared, again=False).heldout
    with pytest.raises(HarnessError, match=r"already.*heldout\.again=true"):
        heldout(result, prepared, again=False)
    again = heldout(result, prepared, again=True)
    assert {row["evaluation"] for row in again.heldout} == {2}
    for row, before in zip(again.heldout, first, strict=True):
        assert row["p"] == before["p"]
        assert row["p_holm"] == (None if (p := before["p_holm"]) is None else min(1, 4 * p))
    assert again.test.charge == ", p times 4"


def _changed(result, key, value):
    path = result.folder / LOCK
    content = json.loads(path.read_text())
    content[key] = value
    path.write_text(json.dumps(content))
    return SweepResult(result.folder)


def test_a_changed_lock_is_refused(swept):
    result, prepared = swept
    other = dict(result.lock["baselines"][0])
    with pytest.raises(HarnessError, match=r"winner\.lock\.json:"):
        heldout(_changed(result, "winner", other), prepared, again=False)


def test_what_changed_since_locking_is_named(swept):
    result, prepared = swept
    lock = {name: item for name, item in result.lock.items() if name != "sha256"}
    for key, value, what in (
        ("code", "9.9.9+abc", "the code"),
        ("data_sha256", "f" * 64, "has other questions"),
        ("libraries", {"numpy": "1"}, "the libraries"),
    ):
        (result.folder / LOCK).write_text(json.dumps(sealed({**lock, key: value})))
        with pytest.raises(HarnessError, match=what):
            heldout(SweepResult(result.folder), prepared, again=False)


def test_moving_the_runs_folder_keeps_everything_valid(swept, tmp_path, overrides):
    result, _ = swept
    winner = result.lock["winner"]["trial"]
    moved = tmp_path / "elsewhere"
    (tmp_path / "runs").rename(moved)
    folder = moved / "sweeps" / result.folder.name
    plan = reopen(folder, compose("heldout", [f"paths.runs={moved}", "tracking=none"]))
    rows = heldout(SweepResult(folder), Prepared.of(plan), again=False).heldout
    assert rows[0]["trial"] == winner


def test_any_trial_is_rerun_alone_by_its_overrides(swept):
    result, _ = swept
    for row in result.trials.to_dict("records")[:2]:
        given = json.loads(row["overrides"])
        plan = Plan(
            compose("config", [*given, f"paths.runs={result.folder.parent.parent}"]), tuple(given)
        )
        prepared = Prepared.of(plan)
        trials = plan.trials()
        assert len(trials) <= 5
        place = prepared.hashes(trials).index(row["trial"])
        ranks = prepared.ranks([trials[place]], "tune")[0]
        assert np.array_equal(
            ranks, result.ranks[result.trials["trial"].tolist().index(row["trial"])]
        )


@pytest.mark.slow
def test_sweep_lock_and_heldout_as_the_command_line_does(overrides, tmp_path):
    result = harness.run_sweep(*overrides, "grid=point", "fuser=linear")
    assert [row["family"] for row in result.lock["fusers"]] == ["linear", "rrf"]
    assert result.heldout is None
    held_out = harness.run_heldout(result)
    assert {row["split"] for row in held_out.heldout} == {"test"}
    assert {row["evaluation"] for row in held_out.heldout} == {1}
    with pytest.raises(harness.HarnessError, match="1 time"):
        harness.run_heldout(str(result.folder))
    again = harness.run_heldout(result.folder, again=True)
    assert again.heldout[0]["evaluation"] == 2

    other = [text.replace(f"{tmp_path}/runs", f"{tmp_path}/cli") for text in overrides]
    for command in (
        ["sweep", *other, "grid=point", "fuser=linear"],
        ["heldout", "tracking=none", other[-2]],
    ):
        done = process.harness(*command, cwd=tmp_path, check=True)
    assert "evaluation 1" in done.stderr  # said before it scored
    folder = tmp_path / "cli" / "sweeps" / result.folder.name
    for name in ("ranks.npy", "trials.parquet", "heldout_ranks.npy"):
        assert (folder / name).read_bytes() == (result.folder / name).read_bytes(), name


@pytest.mark.parametrize("again", ["no", 0, None])
def test_a_second_evaluation_is_asked_for_by_true_alone(tmp_path, again):
    with pytest.raises(HarnessError, match="again: expected True or False"):
        harness.run_heldout(tmp_path, again=again)
