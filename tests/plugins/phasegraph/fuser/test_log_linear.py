import pytest

from harness.fusion.temperature.fixed import Fixed
from harness.plugins.phasegraph.fuser.log_linear import LogLinear

# At T = 1 the weights are p + 1e-6: percentile ranks 1 and 1/2 over their sum.
BEST, WORST = (1 + 1e-6) / (1.5 + 2e-6), (0.5 + 1e-6) / (1.5 + 2e-6)


def test_geometric_mean_with_half_of_the_smallest_for_an_absent_document(scores, two_lists) -> None:
    expected = {
        "a": BEST**0.75 * WORST**0.25,
        "b": WORST**0.75 * (WORST / 2) ** 0.25,
        "c": (WORST / 2) ** 0.75 * BEST**0.25,
    }
    assert scores(LogLinear(alpha=0.75), two_lists, temperature=Fixed(1.0)) == pytest.approx(
        expected, rel=1e-12
    )


def test_a_share_of_nothing_is_no_share(scores, two_lists) -> None:
    alone = scores(LogLinear(alpha=1), two_lists, temperature=Fixed(1.0))
    assert alone == pytest.approx({"a": BEST, "b": WORST, "c": WORST / 2}, rel=1e-12)
