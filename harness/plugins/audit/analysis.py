"""Printed figures: could they be what they are said to be, given how many decimals were printed?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.core.errors import HarnessError
from harness.evaluation.statistic import mcnemar, odds_ratio, wilson


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


def audit_paper(paper: Mapping[str, Any]) -> list[Finding]:
    """Every finding about a paper, as conf/experiment/audit describes it."""
    comparisons = (finding for row in paper.get("comparisons", ()) for finding in audit_comparison(row))
    return [*comparisons, *audit_relations(paper)]


def audit_comparison(row: Mapping[str, Any]) -> Iterator[Finding]:
    """What follows from each other in one printed comparison: percentages and n, W and L, p, interval, odds ratio."""

    def finding(figure: str, printed: object, recomputed: str, agrees: bool) -> Finding:
        return Finding(row["where"], row["what"], figure, str(printed), recomputed, agrees)

    n, won, lost = int(row.get("n") or 0), row.get("wins"), row.get("losses", 0)
    shares = {key: row[key] for key in ("score", "baseline") if key in row}
    for key, printed in shares.items():
        if n:
            found = counts(printed, n)
            yield finding(f"{key} % of {n}", printed, _nearest(printed, n, row.get("other_n")), bool(found))
    if won is not None and "p" in row:
        p = mcnemar(won, lost)
        yield finding(f"p of {won}/{lost}", row["p"], f"{p:.2g}" if p < 0.001 else f"{p:.4f}", rounds_to(p, row["p"]))
    if won is not None and n and len(shares) == 2:
        net, seen = 100 * (won - lost) / n, float(row["score"]) - float(row["baseline"])
        reach = half_unit(row["score"]) + half_unit(row["baseline"])
        yield finding("difference", f"{seen:+.1f}", f"{net:+.2f} by W and L", abs(net - seen) <= reach + 1e-9)
    if "wilson" in row:
        ends = [tuple(100 * end for end in wilson(count, n)) for count in counts(row["score"], n)]
        fits = any(rounds_to(low, row["wilson"][0]) and rounds_to(high, row["wilson"][1]) for low, high in ends)
        said = " or ".join(f"{low:.1f} to {high:.1f}" for low, high in ends)
        yield finding("Wilson 95%", " to ".join(row["wilson"]), said, fits)
    if "odds_ratio" in row:
        pairs = [(a, b) for a in counts(row["score"], n) for b in counts(row["baseline"], n)]
        ratios = [odds_ratio(a, b, n) for a, b in pairs]
        fits = any(rounds_to(ratio, row["odds_ratio"]) for ratio in ratios)
        yield finding("odds ratio", row["odds_ratio"], " or ".join(f"{ratio:.3f}" for ratio in ratios), fits)


def audit_relations(paper: Mapping[str, Any]) -> Iterator[Finding]:
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
