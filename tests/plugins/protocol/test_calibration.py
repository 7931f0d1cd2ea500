"""The protocol in worlds where the truth is known: small ones here, the real grid's in the slow
test.
"""

import json

import numpy as np
import pytest
from scipy.stats import binom

from harness.core.configuration.composition import compose
from harness.core.errors import HarnessError
from harness.plugins.protocol.calibration import clustered_power, exchanged
from harness.plugins.protocol.calibration_tables import behaviours, forecasts, table
from harness.plugins.protocol.clustered import SHAPES, behave, labels_of, uneven
from harness.plugins.protocol.command import calibrate
from harness.plugins.protocol.forecasts import check_forecasts
from harness.retriever.trec import Trec

WORLDS = 150


@pytest.fixture(scope="module")
def signs():
    """40 trials that resemble each other, against dense on 300 queries; each differs on about a
    tenth of them.
    """
    rng = np.random.default_rng(11)
    common = rng.choice([-1, 0, 1], size=(1, 300), p=[0.05, 0.88, 0.07])
    own = rng.choice([-1, 0, 1], size=(40, 300), p=[0.05, 0.9, 0.05])
    return np.where(rng.random((40, 300)) < 0.5, common, own).astype(np.int8)


@pytest.fixture(scope="module")
def nothing(signs):
    return exchanged(signs, 250, WORLDS)


def test_where_nothing_helps_the_protocol_finds_nothing(nothing):
    error = 2.6 * (0.05 * 0.95 / WORLDS) ** 0.5
    for name in ("protocol", "planted", "holm"):
        assert nothing.share(name) <= 0.05 + error
    assert nothing.share("covered") >= 0.95 - 3 * (0.05 * 0.95 / WORLDS) ** 0.5


def test_without_the_protocol_it_finds_much(nothing):
    assert nothing.share("naive") > 0.2


def test_a_planted_effect_is_found_at_the_stated_power(signs):
    found = exchanged(signs, 250, WORLDS, planted=3, effect=0.06)
    assert 0.5 < found.power < 0.97
    assert found.share("planted") == pytest.approx(found.power, abs=3 * 0.5 / WORLDS**0.5)
    assert found.world == "planted"


def test_whole_clusters_change_sides_and_are_judged_by_cluster():
    """60 clusters of 5 queries that succeed together: by query the winner is found better far too
    often.
    """
    rng = np.random.default_rng(3)
    labels = np.repeat(np.arange(60), 5)
    shared = rng.choice([-1, 0, 1], size=(20, 60), p=[0.15, 0.7, 0.15]).astype(np.int8)[:, labels]
    found = exchanged(shared, 300, WORLDS, labels=labels)
    assert found.share("by_query") > 0.1
    for name in ("protocol", "planted", "holm"):
        assert found.share(name) <= 0.05 + 2.6 * (0.05 * 0.95 / WORLDS) ** 0.5, name
    planted = exchanged(shared, 300, WORLDS, planted=3, effect=0.2, labels=labels)
    assert planted.share("planted") == pytest.approx(planted.power, abs=3 * 0.5 / WORLDS**0.5)


def test_power_is_stated_as_found_where_one_cluster_holds_much():
    """As normal sums one cluster of 60 of 180 questions would leave 4% of what the exact test
    finds.
    """
    rng = np.random.default_rng(5)
    labels = np.repeat(np.arange(121), [60] + [1] * 120)
    outcomes = rng.choice([-1, 0, 1], size=(3, 121), p=[0.15, 0.6, 0.25]).astype(np.int8)[:, labels]
    outcomes[:, 0:60] = 1
    found = exchanged(outcomes, 180, WORLDS, planted=1, effect=0.4, labels=labels)
    assert found.power > 0.3
    assert found.share("planted") == pytest.approx(found.power, abs=3 * 0.5 / WORLDS**0.5)


def test_queries_by_themselves_are_clusters_of_one_in_seeded_worlds(signs):
    assert exchanged(signs, 50, 3, labels=np.arange(300)) == exchanged(signs, 50, 3)


def test_the_table(nothing):
    text = table([nothing]).text()
    assert text.startswith("percent of worlds with a significant finding (p <= .05), 40 trials")
    assert f"{100 * nothing.naive / WORLDS:.1f}" in text


def settings(overrides, tmp_path):
    axes = "+grid.some={fuser:[linear],fuser.alpha:[0.3,0.6,0.8],pool.cap:[8]}"
    small = ["calibrate.n=20", "calibrate.worlds=4", "calibrate.effects=[0,0.02]"]
    point = [f"paths.reports={tmp_path}", "grid=point", axes]
    return compose("calibrate", [*overrides, *point, *small])


def test_the_command(overrides, tmp_path, capsys):
    calibrate.run(settings(overrides, tmp_path))
    said = capsys.readouterr().out.splitlines()
    content = json.loads((tmp_path / "runs" / "calibrations" / "tiny.json").read_text())
    assert said[-1] == str(tmp_path / "runs" / "calibrations" / "tiny.json")
    assert [rate["world"] for rate in content["rates"]] == ["exchanged", "planted"]


def test_the_command_for_forecasts_says_what_they_cannot_see(
    overrides, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(Trec, "fitted_on", ("tiny",), raising=False)
    calibrate.run(settings([*overrides, "what=forecast", "calibrate.splits=3"], tmp_path))
    lists = "The weights of dense, graph, bm25 were chosen on these tune questions"
    caution = f"{lists}, too: expect less than the forecast says."
    assert caution in capsys.readouterr().out.splitlines()
    content = json.loads((tmp_path / "runs" / "calibrations" / "tiny-forecast.json").read_text())
    assert [one["split"] for one in content["forecast"]] == ["random", "cluster"]


def test_an_effect_that_cannot_be_is_refused(overrides, tmp_path):
    config = settings(overrides, tmp_path)
    config.calibrate.effects = [0, 0.99]
    with pytest.raises(HarnessError, match=r"calibrate\.effects: 0\.99.*0\.\d+"):
        calibrate.run(config)


@pytest.mark.slow
def test_667_trials_of_the_sample_in_500_worlds(tmp_path):
    paths = [f"paths.runs={tmp_path / 'runs'}", f"paths.reports={tmp_path}", "encoder=hashed"]
    calibrate.run(compose("calibrate", [*paths, "grid=wide", "calibrate.effects=[0,0.03]"]))
    rates = json.loads((tmp_path / "runs" / "calibrations" / "sample.json").read_text())["rates"]
    nothing, planted = rates
    error = 2.6 * (0.05 * 0.95 / 500) ** 0.5
    assert nothing["protocol"] / 500 <= 0.05 + error
    assert nothing["naive"] / 500 > 0.15
    assert planted["planted"] / 500 == pytest.approx(planted["power"], abs=3 * 0.5 / 500**0.5)


def test_forecasts_hold_on_new_clusters():
    """30 trials, 120 clusters of 1 to 4 queries that succeed together."""
    rng = np.random.default_rng(7)
    labels = np.repeat(np.arange(120), np.arange(120) % 4 + 1)
    scores = (rng.random((30, 120)) < 0.6)[:, labels].astype(float)
    gold = labels[:, None].astype(np.int32)
    made = check_forecasts("made", scores, np.zeros(scores.shape, bool), gold, 40)
    found = {one.split: one for one in made}
    assert found["cluster"].inside >= 36
    assert found["cluster"].half_width > 1.96 * (2 * 0.24 / 60) ** 0.5  # of 60 clusters each
    text = forecasts(list(found.values())).text()
    assert f"{100 * found['cluster'].inside / 40:.1f}" in text


def test_clustered_worlds_break_the_plain_figures_alone():
    """60 clusters of 5 with correlation .6: false findings and coverage, by query and by
    the rule.
    """
    found = behave("made", np.repeat(np.arange(60), 5), 0.6, 40)
    assert found.errors["p"] > 0.1 > 0.08 > found.errors["rule p"]
    assert found.errors["Holm p"] > 0.15 > 0.14 > found.errors["rule Holm p"]
    for name in ("score", "difference"):
        assert found.coverage[name] < 0.86 < found.coverage[f"rule {name}"], name
    tables = behaviours([found])
    assert [table.name for table in tables] == ["false_findings", "coverage"]
    assert [row[3] for row in tables[0].rows] == ["query", "rule"]
    rule = [found.errors[f"rule {one.title[:-2]}"] for one in tables[0].columns[4:]]
    assert tables[0].rows[1][4:] == rule
    low, high = binom.ppf([0.025, 0.975], 40, 0.05) / 40
    assert tables[0].title.endswith(f"5 is right, {100 * low:.1f} to {100 * high:.1f} by chance")


HARD, QUICK = ("PopQA's", "one giant", "30 of 10", "12 of 20"), ("one giant", "12 of 20")


@pytest.mark.parametrize(
    "shape", [pytest.param(s, marks=[] if s in QUICK else pytest.mark.slow) for s in SHAPES]
)
def test_the_rule_holds_its_level_or_says_nothing(shape):
    """40 trials that resemble each other in 30 worlds: 5% give or take 2 by chance, and far more by
    query.
    """
    found = behave(shape, labels_of(SHAPES[shape]), 0.5, 30)
    few = shape == "12 of 20"
    assert (found.errors["rule p"] is None) == few
    if not few:
        assert found.errors["rule p"] <= 0.1
        assert found.coverage["rule difference"] >= 0.85
    if shape in HARD:
        assert found.errors["p"] > 0.15


def test_in_an_uneven_world_clusters_share_wins_alone():
    labels = np.repeat(np.arange(300), 5)
    signs = uneven(np.random.default_rng(1), labels, 1.0).reshape(-1, 300, 5)
    some_win, some_lose = (signs == 1).any(axis=2), (signs == -1).any(axis=2)
    alone = some_win & ~some_lose
    assert (signs == 1).all(axis=2)[alone].mean() > 0.5  # else a win and a loss of one question met
    assert (signs == -1).all(axis=2).mean() < 0.001
    assert abs(signs.mean()) < 0.01


def test_power_of_the_clustered_test_by_hand():
    """Of six wins p is 2 / 64. A cluster of ten beside them: 2 / 128, and with one query lost
    already 16 / 128.
    """
    assert clustered_power(np.ones(6), np.arange(6), 0.8) == pytest.approx(0.8**6)
    assert clustered_power(
        np.ones(16), np.repeat(np.arange(7), [10] + [1] * 6), 0.8
    ) == pytest.approx(0.8**7)
    assert clustered_power(-np.ones(6), np.arange(6), 1.0) == pytest.approx(
        1
    )  # the sides are drawn
    assert clustered_power(np.zeros(6), np.arange(6), 0.8) == 0
