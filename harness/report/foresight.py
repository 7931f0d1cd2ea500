"""What was known before test was touched, and whether it came so, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.report.text import p_value, percent, points, span
from harness.sweep.result import SweepResult


def foreseen(result: SweepResult) -> dict[str, str]:
    """Sentences by heading: what to expect on test, what a test of that size can see, and what came of it."""
    told = {
        "expected on test": _expected(result),
        "what test can see": _power(result),
        "on test": _came(result),
        "how to read it": _read(result),
        "against the best list": _best(result),
    }
    return {heading: text for heading, text in told.items() if text}


def winner(result: SweepResult) -> Mapping[str, Any] | None:
    """The locked winner's row on test; None before `harness heldout`."""
    locked = result.lock["winner"]["trial"]
    return next((row for row in result.heldout or () if row["trial"] == locked), None)


def _expected(result: SweepResult) -> str:
    told = result.lock.get("expected")
    if not told:
        return ""
    return (
        f"{result.manifest['objective']} {percent(told['score'])} (95% {percent(told['low'])} to "
        f"{percent(told['high'])}) on {told['n']} queries. Tune's {percent(told['tune'])} is that of the best of "
        f"{len(result.trials)} trials; {points(told['bias'])} points of it are the winner's curse, estimated by "
        "repeating the whole choice in bootstrap resamples and scoring it on the queries left out."
    )


def _power(result: SweepResult) -> str:
    told = result.lock.get("power")
    if not told:
        return ""
    seen = (
        f"against dense, at tune's discordance ({percent(told['discordance'])}% of queries differ) and {told['n']} "
        f"queries, {_smallest(told)}. The winner's net win on tune is {points(told['effect'])} points, found with "
        f"probability {told['power']:.2f}{_needed(told['queries'])}; less the winner's curse it is "
        f"{points(told['effect_corrected'])} points, found with probability {told['power_corrected']:.2f}"
    )
    return f"{seen}{_needed(told['queries_corrected'])}."


def _came(result: SweepResult) -> str:
    row, told = winner(result), result.lock.get("expected")
    if row is None or not told:
        return ""
    score = row[result.manifest["objective"]]
    inside = "inside" if told["low"] <= score <= told["high"] else "OUTSIDE"
    return f"{percent(score)}, {inside} the {percent(told['low'])} to {percent(told['high'])} that was expected."


def _read(result: SweepResult) -> str:
    row, told = winner(result), result.lock.get("power")
    if row is None or row.get("p") is None or row.get("difference_low") is None:
        return ""
    between = span((row["difference_low"], row["difference_high"]))
    if row["p"] <= 0.05:
        return f"the winner and dense differ (p {p_value(row['p'])}), by {between} points (95%)."
    said = (
        f"no difference from dense was shown (p {p_value(row['p'])}), which does not show that there is none: "
        f"{between} points are compatible with the data (95%)"
    )
    margin = 100 * float(result.lock.get("margin", 0.02))
    same = row.get("p_equivalent")
    if same is not None:
        verdict = "is" if same <= 0.05 else "is not"
        said += f"; equivalence within {margin:g} points {verdict} shown (p {p_value(same)})"
    return f"{said}; {_smallest(told)}." if told else f"{said}."


def _best(result: SweepResult) -> str:
    """A fusion that beats dense but not the best single list has found nothing."""
    name, seen = result.lock.get("best_single"), winner(result)
    row = result.lock["winner"] if seen is None else seen
    if row.get("p_best") is None or name == "dense":
        return ""
    won, lost, p = row["wins_best"], row["losses_best"], row["p_best"]
    said = "no difference is shown" if p > 0.05 else "it is better" if won > lost else "it is WORSE"
    where = "tune, which chose both" if seen is None else "test"
    return (
        f"{name} is the best single list on tune; against it the winner has {won} W, {lost} L (p {p_value(p)}) on "
        f"{where}: {said}."
    )


def _smallest(told: Mapping[str, Any]) -> str:
    if told["smallest"] is None:
        return "no net win reaches significance in 4 of 5 tests"
    queries = -(-told["smallest"] * told["n"] // 1)
    return (
        f"the smallest net win that 4 of 5 tests find is {points(told['smallest'])} points "
        f"({queries:.0f} of {told['n']} queries)"
    )


def _needed(queries: int | None) -> str:
    return f" (for .80 it takes {queries} queries)" if queries else ""
