"""The winner's curse: simulated worlds in which the truth is known."""

import numpy as np
import pytest
from scipy.stats import betabinom

from harness.evaluation.statistic import expected
from harness.evaluation.statistic.clustering import correlation
from harness.evaluation.statistic.selection import predict


def world(rng, truth, queries, shared):
    """Outcomes [T, Q] with success rates ``truth``; trials share a query's luck with probability
    ``shared``.
    """
    common, own = rng.random((1, queries)), rng.random((len(truth), queries))
    luck = np.where(rng.random(own.shape) < shared, common, own)
    return (luck < np.array(truth)[:, None]).astype(float)


@pytest.mark.parametrize(("spread", "shared"), [(0.0, 0.0), (0.0, 0.9), (0.05, 0.5)])
def test_the_bias_is_taken_back_and_the_interval_covers_the_test_score(spread, shared):
    rng = np.random.default_rng(17)
    tune, forecast, real, inside = [], [], [], 0
    for seed in range(150):
        truth = 0.6 + rng.uniform(-spread, spread, size=60)
        scores, test = world(rng, truth, 120, shared), world(rng, truth, 120, shared)
        told = expected(scores, np.zeros_like(scores, bool), 120, resamples=300, seed=seed)
        chosen = int(np.argmax(scores.sum(axis=1)))
        tune.append(told.tune)
        forecast.append(told.score)
        real.append(test[chosen].mean())
        inside += told.low <= real[-1] <= told.high
    curse = np.mean(tune) - np.mean(real)
    error = np.mean(forecast) - np.mean(real)
    assert curse > 0.02
    assert abs(error) < 0.4 * curse
    assert error < 3 * np.std(np.array(forecast) - real) / 150**0.5
    assert inside / 150 >= 0.95 - 3 * (0.95 * 0.05 / 150) ** 0.5


def test_one_trial_has_no_curse():
    scores = np.array([[1.0] * 70 + [0.0] * 30])
    told = expected(scores, scores < 0, 100)
    assert told.tune == 0.7
    assert told.score == pytest.approx(0.7, abs=0.005)
    spread = 1.96 * (2 * 0.21 / 100) ** 0.5  # two samples of 100
    assert (told.high - told.low) / 2 == pytest.approx(spread, rel=0.06)


def test_the_whole_rule_is_repeated():
    """Equal scores: fewer losses choose; equal losses: the first. The others are never chosen
    again.
    """
    scores = np.tile([1.0, 0.0], (3, 50))
    losses = np.zeros((3, 100), bool)
    losses[0, 1::2] = True
    assert expected(scores, losses, 100, 200).tune == scores.mean(axis=1).max()
    assert expected(scores[:, :1], losses[:, :1], 5, 10).score == 1
    none = expected(0 * scores, losses, 100, 10)
    assert (none.score, none.low, expected(0 * scores + 1, losses, 100, 10).high) == (0, 0, 1)


def test_of_one_resample_the_score_is_that_of_the_queries_left_out():
    """Trial 0 is best on any draw; a query counts where it is not drawn, 63 of 100 at most."""
    scores = np.arange(100.0)[None] / 100
    told = expected(scores, scores < 0, 100, 1)
    drawn = np.random.Generator(np.random.PCG64(0)).integers(0, 100, 100)
    assert told.score == pytest.approx(np.delete(scores[0], drawn).mean(), abs=1e-6)


def test_blocks_of_resamples_change_nothing(monkeypatch):
    scores = np.random.default_rng(0).random((3, 9))
    whole = expected(scores, scores < 0.2, 9, resamples=20)
    monkeypatch.setattr("harness.evaluation.statistic.selection.BLOCK", 7)
    assert expected(scores, scores < 0.2, 9, resamples=20) == whole


def test_scores_between_0_and_1():
    rng = np.random.default_rng(8)
    scores = rng.random((1, 200))
    told = expected(scores, scores < 0, 200)
    assert told.tune == pytest.approx(scores.mean(), abs=1e-6)
    assert told.score == pytest.approx(scores.mean(), abs=0.003)


def test_what_is_refused():
    with pytest.raises(ValueError, match="with n >= 1"):
        expected(np.zeros((1, 3)), np.zeros((1, 3), bool), 0)
    for scores, losses in (((1, 3), (1, 4)), ((3,), (3,)), ((0, 3), (0, 3))):
        with pytest.raises(ValueError, match="scores must be trial by query"):
            expected(np.zeros(scores), np.zeros(losses, bool), 5)


def test_clusters_of_equal_queries_are_forecast_as_their_number():
    """40 clusters of 3 equal queries tell what 40 queries tell: the same draws, choice, score and
    interval.
    """
    rng = np.random.default_rng(9)
    scores = (rng.random((12, 40)) < 0.6).astype(float)
    thrice, losses, three = np.repeat(scores, 3, axis=1), np.zeros((12, 40), bool), np.full(40, 3)
    alone = expected(scores, losses, 40, 400)
    whole = expected(
        thrice,
        np.repeat(losses, 3, axis=1),
        120,
        400,
        labels=np.repeat(np.arange(40), 3),
        fresh=three,
    )
    assert (whole.score, whole.low, whole.high) == pytest.approx(
        (alone.score, alone.low, alone.high)
    )
    plain = expected(thrice, np.repeat(losses, 3, axis=1), 120, 400)
    assert plain.high - plain.low < 0.7 * (whole.high - whole.low)


def test_the_interval_by_hand():
    """Clusters {1, 1}, {0, 0}, {1, 0}: B 1/2, W 1/6, s 2, so r is 1/2 (Donner 1986), and 6 queries
    tell as 6 / (1 + (12 / 6 - 1) / 2) = 4. New ones in clusters of 5, 4, 1 and 20 single ones: sum
    of s^2 62, so 30 tell as 30 / (1 + (62 / 30 - 1) / 2) = 19.6, of which 20 are counted.
    """
    values, labels = np.array([1.0, 1, 0, 0, 1, 0]), np.repeat([0, 3, 4], 2)
    assert correlation(values, labels) == pytest.approx(0.5)
    found = predict(values, labels, 0.6, np.array([5, 4, *[1] * 21]))
    low, high = betabinom.ppf([0.025, 0.975], 20, 0.6 * 4 + 0.5, 0.4 * 4 + 0.5)
    assert found == pytest.approx((max(0, (low - 0.5) / 20), min(1, (high + 0.5) / 20)))


def test_more_new_queries_narrow_the_interval_and_their_clusters_widen_it():
    rng = np.random.default_rng(2)
    values, labels = np.repeat((rng.random(60) < 0.5).astype(float), 2), np.repeat(np.arange(60), 2)

    def width(fresh):
        low, high = predict(values, labels, 0.5, np.array(fresh))
        return high - low

    assert width([1] * 600) < width([2] * 300) < width([1] * 100) < width([10] * 10)


def test_scores_that_vary_little_are_forecast_narrowly():
    """Halves and 0 or 1: the variance of values of .25 and .75 is a quarter of that of 0 and 1."""
    low, high = predict(np.tile([0.25, 0.75], 200), np.arange(400), 0.5, np.ones(400, int))
    assert (high - low) / 2 == pytest.approx(1.96 * (2 * 0.0625 / 400) ** 0.5, rel=0.03)


def test_a_winner_that_hardly_differs_is_forecast_as_widely_as_what_is_chosen_in_its_place():
    """Half of the resamples choose the trial of 0 and 1, so the expected score varies half as much
    as its: by .25 / 2 / 400. The winner's own new score hardly varies.
    """
    scores = np.array([[1.0, *[0.5] * 399], [0.0, 1.0] * 200])
    told = expected(scores, np.zeros_like(scores, bool), 400)
    assert told.tune == scores[0].mean()
    assert (told.high - told.low) / 2 == pytest.approx(1.96 * (0.25 / 2 / 400) ** 0.5, rel=0.06)
