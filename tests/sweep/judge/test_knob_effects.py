"""What knobs explain: a full grid by hand, an unbalanced one by statsmodels, and knobs that only
some trials have.
"""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from harness.sweep.judge.knob_effects import Importance, importance, of_sweeps


def test_a_full_grid_by_hand() -> None:
    """Scores 1, 2, 3 and 6: mean 3, total 14. Means of alpha 1.5 and 4.5: 9. Of cap 2 and 4: 4.
    Left, together: 1.
    """
    trials = [
        {"alpha": alpha, "cap": cap, "k": 60} for alpha, cap in product((0.1, 0.5), (10, None))
    ]
    found = importance(trials, [1.0, 2.0, 3.0, 6.0])
    assert found.full
    assert {one.knobs: one.share for one in found.main} == pytest.approx(
        {("alpha",): 9 / 14, ("cap",): 4 / 14}
    )
    assert [(one.knobs, one.share) for one in found.pairs] == [
        (("alpha", "cap"), pytest.approx(1 / 14))
    ]
    levels = [(level.value, level.trials, level.mean, level.best) for level in found.main[1].levels]
    assert levels == [(None, 2, 4.0, 6.0), (10, 2, 2.0, 3.0)]


def test_a_grid_with_gaps_by_statsmodels() -> None:
    """Type II sums of squares of main effects, and of an interaction in a model of both."""
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    random = np.random.default_rng(7)
    frame = pd.DataFrame(product("abcdefghij", "uvwx"), columns=["f", "g"]).drop([1, 11])
    frame["y"] = random.normal(size=len(frame)) + (frame["f"] == "a") * 2 + (frame["g"] == "v")
    found = importance(frame[["f", "g"]].to_dict("records"), frame["y"].tolist())
    total = float(((frame["y"] - frame["y"].mean()) ** 2).sum())
    expected = anova_lm(ols("y ~ C(f) + C(g)", frame).fit(), typ=2)["sum_sq"] / total
    assert not found.full
    assert {one.knobs[0]: one.share for one in found.main} == pytest.approx(
        {"f": expected["C(f)"], "g": expected["C(g)"]}
    )
    assert found.pairs[0].share == pytest.approx(
        expected["Residual"]
    )  # one trial a cell: both together explain all


def test_a_knob_is_judged_among_the_trials_that_have_it() -> None:
    """RRF scores 1 and 3 by cap, linear 5, 7 and 9, 11 by cap and alpha.

    Of the 70 about the mean 6, fuser has 48 (means 2 and 8, of two and four) and cap 6 (means 5 and
    7, of three each). Alpha has 16: of the four of linear alone the means are 6 and 10.
    """
    rrf = [
        {"fuser": "rrf", "cap": cap, "weights": "none"} for cap in (1, 2)
    ]  # weights follow from the fuser
    linear = [
        {"fuser": "linear", "cap": cap, "alpha": alpha, "weights": "own"}
        for alpha, cap in product((0.1, 0.5), (1, 2))
    ]
    found = importance([*rrf, *linear], [1.0, 3.0, 5.0, 7.0, 9.0, 11.0])
    shares = {one.knobs[0]: (one.trials, one.share) for one in found.main}
    assert shares == {
        "fuser": (6, pytest.approx(48 / 70)),
        "alpha": (4, pytest.approx(16 / 70)),
        "cap": (6, pytest.approx(6 / 70)),
    }
    assert [one.knobs for one in found.main] == [("fuser",), ("alpha",), ("cap",)]
    assert max(one.share for one in found.pairs) == pytest.approx(0, abs=1e-12)


def test_over_sweeps_what_was_typed_is_a_knob() -> None:
    """The first test's scores, with the encoder for alpha and alpha for the cap; `dataset` names
    the same benchmark.
    """
    sweeps: list[Any] = []
    for given, scores in (({"encoder": "b", "dataset": "x"}, (3.0, 6.0)), ({}, (1.0, 2.0))):
        rows = [
            {"parameters": {"alpha": alpha}, "score": score}
            for alpha, score in zip((0.1, 0.5), scores, strict=True)
        ]
        whole = SimpleNamespace(rows=rows, fused=[0, 1], score=lambda row: row["score"])
        sweeps.append(SimpleNamespace(given=given, whole=whole))
    found = of_sweeps(sweeps)
    assert {one.knobs: one.share for one in found.main} == pytest.approx(
        {("encoder",): 9 / 14, ("alpha",): 4 / 14}
    )
    assert [level.value for level in found.main[0].levels] == ["b", "default"]


def test_a_grid_is_not_full_where_a_trial_lacks_a_knob() -> None:
    """As many different trials as two values of two knobs would make."""
    trials = [{"b": 0}, {"a": 0, "b": 0}, {"a": 0, "b": 1}, {"a": 1, "b": 0}]
    assert not importance(trials, [1.0, 2.0, 3.0, 5.0]).full


def test_nothing_varies() -> None:
    nothing = Importance((), (), full=False)
    assert importance([{"k": 1}, {"k": 2}], [0.5, 0.5]) == importance([], []) == nothing
