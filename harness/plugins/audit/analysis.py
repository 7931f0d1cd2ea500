"""Printed figures: could they be what they are said to be, given how many decimals were printed?"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.core.errors import HarnessError
from harness.evaluation.statistic import mcnemar, odds_ratio, wilson

Row = Mapping[str, Any]
"""A printed comparison or relation, as conf/experiment/audit has it."""
Check = tuple[str, str, str, bool]
"""Of a ``Finding``: the figure, as printed, as recomputed, and whether they agree."""


@dataclass(frozen=True)
class Finding:
    """A ``printed`` figure at ``where`` about ``what``, what is ``recomputed`` from others, whether they agree."""

    where: str
    what: str
    figure: str
    printed: str
    recomputed: str
    agrees: bool


def rounds_to(value: float, printed: str) -> bool:
    """Whether ``value``, rounded to the decimals of ``printed``, is it; ``<.001`` asks whether it is below."""
    if printed.startswith("<"):
        return value < float(printed[1:])
    return abs(value - float(printed)) <= half_unit(printed) * (1 + 1e-9)


def half_unit(printed: str) -> float:
    """Half a unit of the last printed digit: .05 for ``75.1``, 5e-9 for ``2.4e-7``."""
    found = re.fullmatch(r"[-+]?\d*\.?(\d*)(?:e([-+]?\d+))?", printed)
    if not found:
        raise HarnessError(f"audit: {printed!r} is not a printed number")
    return 0.5 * float(10.0 ** (int(found[2] or 0) - len(found[1])))


def counts(printed: str, n: int) -> list[int]:
    """The numbers of n queries whose percentage is printed so (the GRIM test, Brown & Heathers 2017)."""
    return [count for count in range(n + 1) if rounds_to(100 * count / n, printed)]


def audit_paper(paper: Mapping[str, Sequence[Row]]) -> list[Finding]:
    """Every finding about a paper, as conf/experiment/audit describes it."""
    comparisons = (finding for row in paper.get("comparisons", ()) for finding in audit_comparison(row))
    return [*comparisons, *audit_relations(paper)]


def audit_comparison(row: Row) -> Iterator[Finding]:
    """What follows from each other in one printed comparison: percentages and n, W and L, p, interval, odds ratio."""
    printed = {key for key, value in row.items() if value is not None}
    for needed, check in CHECKS:
        if printed.issuperset(needed):
            yield Finding(row["where"], row["what"], *check(row))


def _share(row: Row, key: str) -> Check:
    n = int(row["n"])
    return f"{key} % of {n}", row[key], _nearest(row[key], n, row.get("other_n")), bool(counts(row[key], n))


def _p(row: Row) -> Check:
    p = mcnemar(row["wins"], row["losses"])
    recomputed = f"{p:.2g}" if p < 0.001 else f"{p:.4f}"
    return f"p of {row['wins']}/{row['losses']}", row["p"], recomputed, rounds_to(p, row["p"])


def _difference(row: Row) -> Check:
    net = 100 * (row["wins"] - row["losses"]) / int(row["n"])
    seen = float(row["score"]) - float(row["baseline"])
    reach = half_unit(row["score"]) + half_unit(row["baseline"])
    return "difference", f"{seen:+.1f}", f"{net:+.2f} by W and L", abs(net - seen) <= reach + 1e-9


def _wilson(row: Row) -> Check:
    n = int(row["n"])
    ends = [tuple(100 * end for end in wilson(count, n)) for count in counts(row["score"], n)]
    fits = any(rounds_to(low, row["wilson"][0]) and rounds_to(high, row["wilson"][1]) for low, high in ends)
    return "Wilson 95%", " to ".join(row["wilson"]), " or ".join(f"{low:.1f} to {high:.1f}" for low, high in ends), fits


def _odds_ratio(row: Row) -> Check:
    n = int(row["n"])
    pairs = itertools.product(counts(row["score"], n), counts(row["baseline"], n))
    ratios = [odds_ratio(ours, theirs, n) for ours, theirs in pairs]
    fits = any(rounds_to(ratio, row["odds_ratio"]) for ratio in ratios)
    return "odds ratio", row["odds_ratio"], " or ".join(f"{ratio:.3f}" for ratio in ratios), fits


CHECKS: Sequence[tuple[Sequence[str], Callable[[Row], Check]]] = (
    (("score", "n"), functools.partial(_share, key="score")),
    (("baseline", "n"), functools.partial(_share, key="baseline")),
    (("wins", "losses", "p"), _p),
    (("wins", "losses", "score", "baseline", "n"), _difference),
    (("score", "n", "wilson"), _wilson),
    (("score", "baseline", "n", "odds_ratio"), _odds_ratio),
)
"""What a check needs to be printed, and the check."""


def audit_relations(paper: Mapping[str, Sequence[Row]]) -> Iterator[Finding]:
    """Figures that should be the same, add up, average, or stand in an order."""
    for row in paper.get("same", ()):
        places, values = list(row["values"]), list(row["values"].values())
        yield Finding(places[0], row["what"], "the same", values[0], f"{values[1]} in {places[1]}", len({*values}) == 1)
    for row in paper.get("sums", ()):
        total = sum(row["parts"])
        yield Finding(row["where"], row["what"], "sum", row["total"], str(total), rounds_to(total, row["total"]))
    for row in paper.get("means", ()):
        mean = _mean(row["parts"])
        yield Finding(row["where"], row["what"], "mean", row["mean"], f"{mean:.2f}", rounds_to(mean, row["mean"]))
    for row in paper.get("claims", ()):
        fits = float(row["greater"]) > float(row["than"])
        yield Finding(row["where"], row["what"], "claimed greater", row["greater"], f"than {row['than']}", fits)


def _mean(parts: Sequence[float]) -> float:
    return round(sum(parts), 9) / len(parts)


def _nearest(printed: str, n: int, other: int | None) -> str:
    count = round(float(printed) * n / 100)
    said = f"{count}/{n} is {100 * count / n:.2f}"
    return f"{said}; n = {other} fits" if other and counts(printed, other) and not counts(printed, n) else said
