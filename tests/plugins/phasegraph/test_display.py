"""A plug-in names its fusers in papers, beside those of the core."""

import pytest

from harness.core.configuration.composition import compose
from harness.core.errors import HarnessError
from harness.report.output import displayed


def test_fusers_have_their_names_in_papers() -> None:
    typed = compose(
        "report", ["display.fuser.quantum=Q", "+display.fuser.greatest=Greatest"]
    ).display.fuser
    assert (typed.quantum, typed.greatest, typed.plackett_luce, typed.rrf) == (
        "Q",
        "Greatest",
        "Plackett–Luce",
        "RRF",
    )
    assert displayed().cell("ot_gaussian") == "OT Gaussian"
    assert displayed().cell("rrf") == "RRF"
    with pytest.raises(HarnessError, match=r"display has no fusers .*fuser"):
        compose("report", ["+display.fusers={a: b}"])
