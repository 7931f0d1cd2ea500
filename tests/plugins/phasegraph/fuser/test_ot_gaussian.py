import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm, percentileofscore

import harness
from harness.plugins.phasegraph.fuser.ot_gaussian import OtGaussian
from harness.run import Run


def test_quantiles_of_mid_ranks_by_table(scores, two_lists) -> None:
    # Mid ranks of two documents: 3/4 and 1/4; absent: 1/8. Quantiles from the normal table.
    high, low, absent = 0.6744897502, -0.6744897502, -1.1503493804
    expected = {
        "a": 0.75 * high + 0.25 * low,
        "b": 0.75 * low + 0.25 * absent,
        "c": 0.75 * absent + 0.25 * high,
    }
    assert scores(OtGaussian(alpha=0.75), two_lists) == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40)
@given(
    st.dictionaries(
        st.text("abcdef", min_size=1, max_size=3), st.integers(-5, 5).map(float), min_size=1
    )
)
def test_agrees_with_scipy(found: dict[str, float]) -> None:
    runs = {"dense": Run.from_dict({"q": found}), "graph": Run.from_dict({"q": {}})}
    fused = harness.fuse(runs, OtGaussian(alpha=1)).to_dict()["q"]
    points = list(found.values())
    expected = {
        doc: norm.ppf(percentileofscore(points, point, kind="mean") / 100)
        for doc, point in found.items()
    }
    assert fused == pytest.approx(expected, abs=1e-12)
