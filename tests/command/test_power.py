"""`harness power`: planned questions against the published sample size of Connor (1987), and what
is refused.
"""

import pytest

from harness.command.power import run
from harness.core.configuration.composition import compose
from harness.core.errors import HarnessError


def rows(capsys: pytest.CaptureFixture[str], *overrides: str) -> list[list[str]]:
    run(compose("power", overrides))
    return [
        line.split() for line in capsys.readouterr().out.splitlines() if line.strip()[:1].isdigit()
    ]


def test_questions_for_two_points(capsys: pytest.CaptureFixture[str]) -> None:
    """Connor's approximation: (1.96 sqrt(d) + .84 sqrt(d - e^2))^2 / e^2 = 979 for d .05, e .02;
    exact needs more.
    """
    ((_, effect, needed, *_),) = rows(capsys, "delta=2", "discordance=0.05")
    assert float(effect) == 2
    assert 979 <= int(needed.replace(",", "")) <= 1.12 * 979


def test_what_so_many_questions_show(capsys: pytest.CaptureFixture[str]) -> None:
    found = rows(capsys, "n=500")
    smallest = [float(row[-2]) for row in found]
    assert len(found) == 6
    assert smallest == sorted(
        smallest
    )  # the more two systems differ, the greater a net win must be
    ((*_, power),) = rows(capsys, "n=500", "delta=3", "discordance=0.1")
    assert 40 < float(power) < 60


def test_questions_of_a_gate(capsys: pytest.CaptureFixture[str]) -> None:
    """(1.96 + .8416)^2 .1 / .02^2 = 1962 by the normal approximation."""
    ((*_, needed, n, passes),) = rows(capsys, "gate=no_worse", "discordance=0.1", "n=1962")
    assert 1962 <= int(needed) <= 1.03 * 1962
    assert n == "1962"
    assert 78 < float(passes) < 82


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ((), "give delta=POINTS"),
        (("gate=better", "margin=2", "delta=2"), "above the margin"),
    ],
)
def test_what_is_refused(overrides: tuple[str, ...], words: str) -> None:
    with pytest.raises(HarnessError, match=words):
        run(compose("power", overrides))


@pytest.mark.parametrize("gate", [[], ["gate=better"]])
def test_a_share_in_place_of_points(capsys: pytest.CaptureFixture[str], gate: list[str]) -> None:
    """(2.8)^2 .02 / .0005^2 is 627,000 questions by the normal approximation for a difference of
    .05 points at 2%, and 1.6 million at 5%.
    """
    asked = ["delta=.05", "discordance=.05", *gate]
    with pytest.raises(HarnessError, match=r"in points.* give delta=5$"):
        run(compose("power", asked))
    run(compose("power", [*asked, "n=100"]))
    assert "caution: delta=0.05" in capsys.readouterr().out
    run(compose("power", ["delta=5", "discordance=.05"]))
    assert "caution" not in capsys.readouterr().out
