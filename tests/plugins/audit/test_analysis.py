"""Printed figures against values worked by hand and from the references."""

import pytest

from harness.core.errors import HarnessError
from harness.plugins.audit.analysis import audit_comparison, audit_relations, counts, half_unit, rounds_to


@pytest.mark.parametrize(
    ("value", "printed", "fits"),
    [(0.0390625, ".039", True), (0.0225, ".023", True), (0.02246, ".023", False), (0.0005, "<.001", True),
     (0.002, "<.001", False), (2.384e-7, "2.4e-7", True), (2.46e-7, "2.4e-7", False), (1.0, "1.0", True),
     (-7.0, "-7", True), (0.0078125, "0.008", True)],
)  # fmt: skip
def test_rounding(value, printed, fits):
    assert rounds_to(value, printed) is fits


def test_half_units():
    assert half_unit("75.1") == pytest.approx(0.05)
    assert half_unit("491") == 0.5
    assert half_unit("3.0e-8") == pytest.approx(5e-10)
    with pytest.raises(HarnessError, match="'abc' is not a printed number"):
        half_unit("abc")


def test_percentages_that_a_number_of_queries_can_have():
    assert counts("39.4", 66) == [26]
    assert counts("75.1", 514) == [386]  # 386 / 514 = 75.097%
    assert counts("75.1", 491) == []  # 368 / 491 = 74.95%, 369 / 491 = 75.15%
    assert counts("58.1", 500) == []  # 290 are 58.0%, 291 are 58.2%


def agreement(**row):
    return {found.figure: found.agrees for found in audit_comparison({"where": "x", "what": "y", **row})}


def test_a_consistent_row():
    """PhaseGraph Table 4, true RRF: 49 and 26 of 66, 23 wins."""
    found = agreement(n=66, score="74.2", baseline="39.4", wins=23, losses=0, p="2.4e-7", wilson=["62.6", "83.3"],
                      odds_ratio="4.43")  # fmt: skip
    assert list(found) == ["score % of 66", "baseline % of 66", "p of 23/0", "difference", "Wilson 95%", "odds ratio"]
    assert all(found.values())


def test_an_inconsistent_row():
    """PhaseGraph Table 3: 32 wins and 39 losses cannot raise 58.1 to 58.6, and no count of 500 is 58.1%."""
    found = agreement(n=500, score="58.6", baseline="58.1", wins=32, losses=39)
    assert found == {"score % of 500": True, "baseline % of 500": False, "difference": False}


def test_a_number_that_fits_is_named():
    row = {"where": "x", "what": "y", "n": 491, "other_n": 514, "score": "75.1"}
    assert [found.recomputed for found in audit_comparison(row)] == ["369/491 is 75.15; n = 514 fits"]


def test_relations():
    paper = {
        "same": [{"what": "a", "values": {"Table 1": "53.6", "Table 2": "53.8"}}],
        "sums": [{"where": "Table 5", "what": "b", "parts": [102, 277, 288], "total": "667"}],
        "means": [{"where": "Table 2", "what": "c", "parts": [59.9, 56.2, 52.8, 62.8, 34.6], "mean": "53.2"}],
        "claims": [{"where": "Table 2", "what": "d", "greater": "0.188", "than": "0.240"}],
    }
    assert [found.agrees for found in audit_relations(paper)] == [False, True, False, False]
