"""One model over benchmarks: the mean difference, its spread, and what one more is expected to
show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.core.errors import HarnessError

LEAST = 3
"""Benchmarks that a further one can be expected from."""


@dataclass(frozen=True)
class Pooled:
    """mean, interval: of the true differences, 95%.    spread: their standard deviation between
    benchmarks.

    further: 95% prediction interval of the true difference on one more benchmark, as if they were
    drawn at random; None
    of fewer than three.    each: the benchmarks' own differences, drawn towards the mean as far as
    they are uncertain.
    """

    mean: float
    interval: tuple[float, float]
    spread: float
    further: tuple[float, float] | None
    each: tuple[float, ...]


def pooled(differences: Sequence[float], errors: Sequence[float]) -> Pooled:
    """The random-effects model of differences with known standard errors, of two benchmarks or
    more, by statsmodels.

    Spread by Paule & Mandel (1982); the mean's interval by Hartung & Knapp (2001), with Student's t
    of k - 1 degrees and an error no less than the plain one; the prediction interval by Higgins,
    Thompson & Spiegelhalter (2009), with k - 2; each by empirical Bayes: d_i and the mean weighed
    by 1 / e_i^2 and 1 / spread^2. A benchmark on which nothing differs has no error and is no
    evidence.
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
