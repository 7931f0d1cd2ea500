"""What is known before test: the forecast follows the rule, the power is the exact test's, and both
are locked.
"""

import numpy as np
import pytest

from harness.core.errors import HarnessError
from harness.evaluation.statistic import mcnemar_power, queries_needed
from harness.sweep.folder.lock import Baselines
from harness.sweep.heldout.locked_trials import expectation, heldout
from harness.sweep.judge.choice import Chosen
from harness.sweep.judge.foresight import foresight, power
from tests.judged import judged
from tests.sweep.test_protocol import swept  # noqa: F401


def against_dense():
    """The choice with dense as the only list."""
    return Chosen({}, Baselines({"dense": "dense"}, "dense", "dense"), "")


def test_power_of_what_was_seen_on_tune():
    """11 won and 2 lost of 491."""
    alpha = 0.05
    told = power(np.array([1.0] * 11 + [-1.0] * 2 + [0.0] * 478), 491, bias=0.01)
    assert (told["discordance"], told["n_effective"]) == (pytest.approx(13 / 491), 491)
    assert told["effect"] == pytest.approx(9 / 491)
    assert told["effect_corrected"] == pytest.approx(9 / 491 - 0.01)
    assert told["power"] == pytest.approx(mcnemar_power(491, 13 / 491, 9 / 491, alpha))
    assert mcnemar_power(491, 13 / 491, told["smallest"], alpha) == pytest.approx(0.8, abs=1e-6)
    assert told["power_corrected"] < told["power"]
    assert mcnemar_power(told["queries"], 13 / 491, 9 / 491 - 0.01, alpha) >= 0.8


def test_power_by_cluster_is_that_of_so_many_queries_as_tell_as_much():
    """Pairs that differ alike, correlation 1: 100 queries of test in pairs tell as much as 50."""
    apart = np.repeat([1.0] * 12 + [-1.0] * 3 + [0.0] * 85, 2)
    told = power(apart, 100, labels=np.arange(200) // 2, fresh=np.full(50, 2))
    assert told["n_effective"] == 50
    assert told["power"] == pytest.approx(mcnemar_power(50, 0.15, 0.09, 0.05))
    alone = power(apart, 50)
    assert told["queries"] == 2 * alone["queries"]


def test_no_effect_needs_no_number_of_queries():
    told = power(np.array([1.0, 1, -1, -1] + [0.0] * 196), 200)
    assert told["queries"] is None
    assert power(np.array([1.0] + [0.0] * 199), 200)["smallest"] is None


def test_no_effect_is_greater_than_what_differs():
    """3 won and 1 lost of 200; whatever the winner's curse, they differ on 4."""
    apart = np.array([1.0, 1, 1, -1] + [0.0] * 196)
    assert [power(apart, 200, bias)["effect_corrected"] for bias in (-1, 1)] == [0.02, -0.02]
    assert (power(apart, 200, -1)["queries"], power(apart, 200, 1)["queries"]) == (
        queries_needed(0.02, 0.02, alpha=0.05),
        None,
    )
    assert power(apart, 1, labels=np.zeros(200, int), fresh=np.array([9]))["n_effective"] == 1


def test_lists_alone_have_no_forecast():
    rows = [judged("dense", "single", scores={"last_hop@5": 1.0})]
    ranks = np.ones((1, 4, 1), np.int32)
    dense, none = against_dense(), Chosen({}, Baselines({}, "dense", None), "")
    assert foresight(rows, ranks, "last_hop@5", 9, dense)["expected"] is None
    alone = foresight([judged("rrf")], ranks, "last_hop@5", 9, none)
    assert (alone["expected"]["score"], alone["power"]) == (1, None)


def test_the_forecast_is_of_the_winner():
    rng = np.random.default_rng(1)
    ranks = rng.integers(1, 9, size=(6, 200, 1)).astype(np.int32)
    rows = [
        judged(
            name,
            "rrf" if place else "single",
            scores={"last_hop@5": float((ranks[place] <= 5).mean())},
        )
        for place, name in enumerate(["dense", "b", "c", "d", "e", "f"])
    ]
    places = sorted(range(6), key=lambda place: -rows[place].scores["last_hop@5"])
    ordered, ranks = [rows[place] for place in places], ranks[places]
    found = foresight(ordered, ranks, "last_hop@5", 190, against_dense())
    winner = next(found for found in ordered if not found.is_single)
    apart = (ranks[ordered.index(winner), :, 0] <= 5) * 1.0 - (
        ranks[[one.name for one in ordered].index("dense"), :, 0] <= 5
    )
    assert found["power"] == power(apart, 190, found["expected_difference"]["bias"])
    differs = found["expected_difference"]
    assert differs["tune"] == pytest.approx(apart.mean())
    assert differs["low"] < differs["score"] < differs["tune"]
    assert differs["score"] + differs["bias"] == pytest.approx(differs["tune"])
    told = found["expected"]
    assert foresight(ordered, ranks, "last_hop@5", 1, against_dense())["expected"]["n"] == 1
    assert foresight(ordered, ranks, "last_hop@5", 0, against_dense()) == {
        "expected": None,
        "expected_difference": None,
        "power": None,
    }
    assert told["tune"] == winner.scores["last_hop@5"]
    assert told["low"] < told["score"] < told["tune"] < told["high"]
    assert told["n"] == 190


def test_the_lock_holds_it_and_the_heldout_row_says_whether_it_came_so(swept):  # noqa: F811
    result, prepared = swept
    told = result.lock["expected"]
    assert told["tune"] == result.lock["winner"]["last_hop@5"]
    assert told["n"] == len(prepared.benchmark.members("test"))
    assert result.manifest["power"] == result.lock["power"]
    rows = heldout(result, prepared, again=False).heldout
    assert rows[0]["expected"] == told
    assert rows[0]["as_expected"] == (told["low"] <= rows[0]["last_hop@5"] <= told["high"])
    assert "expected" not in rows[-1]


@pytest.mark.parametrize(
    ("found", "said"), [(0.29, False), (0.3, True), (0.5, True), (0.7, True), (0.71, False)]
)
def test_bounds_of_the_forecast_belong_to_it(found, said):
    forecast = {"low": 0.3, "high": 0.7}
    assert expectation(found, {"expected": forecast}) == {
        "expected": forecast,
        "as_expected": said,
    }
    assert expectation(found, {"expected": None}) == {}


def test_a_margin_without_bounds_is_refused(overrides):
    from harness.core.configuration.composition import compose
    from harness.sweep.trial.plan import Plan

    with pytest.raises(HarnessError, match=r"\(0.*1\].*margin=0"):
        Plan(compose("config", [*overrides, "margin=0"]), ())
