"""A random-effects model over benchmarks: mean difference, spread, prediction for a further one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.core.errors import HarnessError

LEAST = 3
"""The smallest number of benchmarks for a prediction."""


@dataclass(frozen=True)
class Pooled:
    """The pooled difference over benchmarks.

    Attributes:
        mean: mean of the true differences.
        interval: 95% interval of the mean.
        spread: standard deviation of the true differences between benchmarks.
        further: 95% prediction interval of the true difference on a further benchmark, if
            benchmarks were drawn at random; None with fewer than three.
        each: the benchmarks' own differences, shrunk towards the mean by their uncertainty.
    """

    mean: float
    interval: tuple[float, float]
    spread: float
    further: tuple[float, float] | None
    each: tuple[float, ...]


def pooled(differences: Sequence[float], errors: Sequence[float]) -> Pooled:
    """Return the random-effects model of differences with known standard errors, by statsmodels.

    Spread by Paule & Mandel (1982); the mean's interval by Hartung & Knapp (2001), with Student's t
    of k - 1 degrees and an error no less than the plain one; the prediction interval by Higgins,
    Thompson & Spiegelhalter (2009), with k - 2; each by empirical Bayes: d_i and the mean weighted
    by 1 / e_i^2 and 1 / spread^2. A benchmark on which nothing differs has no error and is no
    evidence.

    Args:
        differences: of two benchmarks or more.
        errors: their standard errors, above 0.
    """
    if len(differences) != len(errors) or len(errors) < 2 or not min(errors) > 0:
        raise HarnessError(
            "pooled takes two differences or more, each with a standard error above 0"
        )
    from scipy.special import stdtrit
    from statsmodels.stats.meta_analysis import combine_effects

    effects, variances = (
        np.array(differences, dtype=np.float64),
        np.array(errors, dtype=np.float64) ** 2,
    )
    with np.errstate(
        divide="ignore"
    ):  # the share of spread in all that varies, which nothing here reads
        found = combine_effects(effects, variances, method_re="iterated", use_t=True, alpha=0.05)
    mean, between, k = float(found.mean_effect_re), max(0.0, float(found.tau2)), len(effects)
    error = max(float(found.sd_eff_w_re_hksj), float(found.sd_eff_w_re))
    reach = float(stdtrit(k - 1, 0.975)) * error
    further = None
    if k >= LEAST:
        beyond = float(stdtrit(k - 2, 0.975)) * (between + error**2) ** 0.5
        further = (mean - beyond, mean + beyond)
    each = (effects * between + mean * variances) / (between + variances)
    return Pooled(mean, (mean - reach, mean + reach), between**0.5, further, tuple(each.tolist()))
