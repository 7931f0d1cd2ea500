from fractions import Fraction

import pytest

from harness.core.errors import HarnessError, bounded, nearest, one_of


@pytest.mark.parametrize("value", [0, 0.5, 1])
def test_within_bounds_is_silent(value):
    bounded("fuser.alpha", value, 0, 1)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1.3, r"fuser\.alpha must be in \[0, 1\], got alpha=1\.3"),
        (float("nan"), "got alpha=nan"),
        ("x", "must be a number, got 'x'"),
        (True, "must be a number, got True"),
        (Fraction(1, 2), "must be a number, got Fraction"),
    ],
)
def test_out_of_bounds_says_the_bound_and_the_value(value, message):
    with pytest.raises(HarnessError, match=message):
        bounded("fuser.alpha", value, 0, 1)


def test_an_open_bound():
    with pytest.raises(HarnessError, match=r"\(0, inf\), got T=0"):
        bounded("temperature.T", 0, 0, open_low=True)


def test_the_nearest_known_name_is_suggested():
    assert nearest("boltzman", ["rrf", "boltzmann"]) == " (did you mean boltzmann?)"
    assert nearest("RRF", ["single", "rrf"]) == " (did you mean rrf?)"
    assert nearest("bolzman", ["rrf", "boltzmann"]) == " (did you mean boltzmann?)"
    wikis = ["musique", "2wikimultihopqa_dev", "2wikimultihopqa"]
    assert nearest("2wiki", wikis) == " (did you mean 2wikimultihopqa?)"
    for far in ("xyz", "rr", "trust"):
        assert nearest(far, ["runs", "rel", "boltzmann"]) == ""
    with pytest.raises(HarnessError, match=r"kind=weka.*weak\?\)"):
        one_of("normalizer.kind", "weka", ["weak", "mean"])
