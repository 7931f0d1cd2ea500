"""The arithmetic of the page "What a large corpus takes", from the rates that it names."""

from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[3] / "reports/docs/pages/plugins/large/large-corpora.md").read_text(
    encoding="utf-8"
)
PASSAGES = (5.2e6, 21e6)
ALONE = "compare names, by default (`IVF`)"
"""Done by one machine."""
SECONDS = {
    "encode": lambda n: n / 1_000,
    "recognise entities": lambda n: n / 700,
    "compare names, `graph.index=Flat`": lambda n: (2 * n) ** 2 / 2 / 2.6e8,
    ALONE: lambda n: 75 * (2 * n / 1e6) ** 1.5,
    "search": lambda n: 7_405 * n * 384 * 2 / 5e10,
}
GIGABYTES = {
    "4 d N": lambda n: 4 * 384 * n / 1e9,
    "160 N": lambda n: 160 * n / 1e9,
    "16 × 3 N × 8 bytes a thread": lambda n: 16 * 3 * n * 8 / 1e9,
    "4 d 2 N": lambda n: 4 * 384 * 2 * n / 1e9,
}


def seconds(text: str) -> float:
    number, unit = text.split()
    return float(number) * {"s": 1, "min": 60, "h": 3600}[unit]


@pytest.mark.parametrize("stage", SECONDS)
def test_seconds(stage: str) -> None:
    (row,) = [line for line in PAGE.splitlines() if line.startswith(f"| {stage} |")]
    for cell, passages in zip(row.split("|")[3:5], PASSAGES, strict=True):
        for text, workers in zip(
            cell.split("/"), (1,) if stage == ALONE else (1, 8, 64), strict=True
        ):
            assert seconds(text) == pytest.approx(SECONDS[stage](passages) / workers, rel=0.05)


@pytest.mark.parametrize("formula", GIGABYTES)
def test_bytes(formula: str) -> None:
    told = PAGE.partition(f"{formula}: ")[2].partition(" GB")[0]
    for text, passages in zip(told.split("/"), PASSAGES, strict=True):
        assert float(text) == pytest.approx(GIGABYTES[formula](passages), rel=0.05)
