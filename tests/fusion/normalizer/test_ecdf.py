import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ecdf

from harness.core.errors import HarnessError
from harness.fusion.normalizer.ecdf import Ecdf
from harness.fusion.pool import Pool
from harness.run import Run

POOR = {"good": {"a": 0.9, "b": 0.7, "c": 0.5}, "poor": {"a": 0.3, "b": 0.2}}


def values(normalizer, scores: list[float]) -> list[float]:
    row = torch.tensor([sorted(scores, reverse=True)], dtype=torch.float64)
    return normalizer(row, torch.ones_like(row, dtype=torch.bool))[0].tolist()


def test_a_query_with_only_poor_hits_is_not_stretched_to_one() -> None:
    """Of the five scores .2 .3 .5 .7 .9: the least counts as 0, the others as 2/5 .. 5/5; between
    them lies a line.
    """
    fitted = Ecdf(points=5).fit(Pool.align({"dense": Run.from_dict(POOR)}).listings)
    assert fitted.reference == {"dense": [0.2, 0.2, 0.3, 0.5, 0.7, 0.9]}
    assert values(fitted.of("dense"), [0.9, 0.7, 0.5]) == [1.0, 0.8, 0.6]
    assert values(fitted.of("dense"), [0.3, 0.2]) == [0.4, 0.2]
    assert values(fitted.of("dense"), [2.0, 0.8, 0.6, 0.1]) == [
        1.0,
        pytest.approx(0.9),
        pytest.approx(0.7),
        0.0,
    ]


@given(
    st.lists(st.integers(0, 50), min_size=1, max_size=80),
    st.lists(st.integers(-5, 55), min_size=1, max_size=20),
    st.integers(1, 40),
)
def test_as_scipys_empirical_distribution_but_for_one_step_of_the_kept_quantiles(
    reference, asked, points
) -> None:
    fitted = Ecdf(points).fit(Pool.align({"x": _run(reference)}).listings)
    found = values(fitted.of("x"), [float(score) for score in asked])
    exact = ecdf(np.array(reference, dtype=float)).cdf.evaluate(
        np.array(sorted(asked, reverse=True), dtype=float)
    )
    # Between two quantiles the line is between their levels, and so is the distribution.
    assert np.abs(np.array(found) - exact).max() <= 1 / points + 1e-12


def _run(scores: list[int]) -> Run:
    return Run.from_dict({f"q{place}": {"d": float(score)} for place, score in enumerate(scores)})


def test_lists_have_references_of_their_own_and_an_empty_one_has_one_too() -> None:
    runs = {"dense": Run.from_dict(POOR), "graph": Run.from_dict({"good": {}, "poor": {}})}
    fitted = Ecdf(points=2).fit(Pool.align(runs).listings)
    assert fitted.reference == {"dense": [0.2, 0.5, 0.9], "graph": [0.0]}
    assert values(fitted.of("graph"), [0.5, -1.0]) == [1.0, 0.0]


def test_what_it_cannot_do_is_said(scores) -> None:
    with pytest.raises(HarnessError, match=r"normalizer=ecdf.*`harness sweep`"):
        scores("combsum", {"dense": {"a": 1.0}}, "ecdf")
    with pytest.raises(HarnessError, match=r"normalizer\.reference.*'dense'"):
        scores("combsum", {"dense": {"a": 1.0}}, Ecdf(reference={"x": [0.0, 1.0]}))
    with pytest.raises(HarnessError, match=r"normalizer\.reference\.x.*\[1.*0\]"):
        Ecdf(reference={"x": [1, 0]})
    with pytest.raises(HarnessError, match=r"normalizer\.points.*\[1.*points=0"):
        Ecdf(points=0)
