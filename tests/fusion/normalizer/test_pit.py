import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import percentileofscore

from harness.core.errors import HarnessError
from harness.fusion.normalizer.pit import Pit

KINDS = {"weak": "weak", "strict": "strict", "mean": "mean"}


def values(scores: list[float], kind: str) -> list[float]:
    row = torch.tensor([sorted(scores, reverse=True)], dtype=torch.float64)
    return Pit(kind)(row, torch.ones_like(row, dtype=torch.bool))[0].tolist()


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("weak", [1, 0.75, 0.75, 0.25]),
        ("strict", [0.75, 0.25, 0.25, 0]),
        ("mean", [0.875, 0.5, 0.5, 0.125]),
    ],
)
def test_shares_of_four_scores_with_a_tie(kind: str, expected: list[float]) -> None:
    assert values([0.1, 0.3, 0.3, 0.9], kind) == expected


@given(
    st.lists(st.integers(-3, 3) | st.floats(-1e6, 1e6), min_size=1, max_size=30),
    st.sampled_from(sorted(KINDS)),
)
def test_agrees_with_scipy(scores: list[float], kind: str) -> None:
    expected = [
        percentileofscore(scores, score, kind=kind) / 100 for score in sorted(scores, reverse=True)
    ]
    assert values(scores, kind) == pytest.approx(expected, abs=1e-14)


def test_negative_scores_do_not_tie_with_the_padding() -> None:
    scores = torch.tensor([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0]], dtype=torch.float64)
    present = torch.tensor([[True, True, False], [True, True, False]])
    assert Pit("strict")(scores, present)[:, :2].tolist() == [[0.5, 0], [0.5, 0]]


def test_an_unknown_kind_is_named_with_the_nearest_known_one() -> None:
    with pytest.raises(HarnessError, match=r"normalizer\.kind=stric.*strict\?\)"):
        Pit("stric")
