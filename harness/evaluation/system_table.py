"""The table of compared runs for a paper: systems by metrics, with signs for differences."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from harness.core.table import Column, Style, Table
from harness.evaluation.statement import SIGNS
from harness.evaluation.system_comparison import SystemComparison, source_of

BOLD = "Bold: the highest, if it is shown to be better than all others."


def system_table(comparisons: Sequence[SystemComparison]) -> Table:
    """Return the baseline, then runs, by metrics.

    A sign marks a p of .05 or less after Holm's correction over all comparisons. The highest score
    of a column is bold if it is shown to be better than all systems that it was compared with.

    Args:
        comparisons: comparisons with one baseline.
    """
    baseline, scale = comparisons[0].baseline, comparisons[0].scale
    scores: dict[str, dict[str, float]] = {}
    for comparison in comparisons:
        scores.setdefault(baseline, {})[str(comparison.metric)] = comparison.baseline_score
        scores.setdefault(comparison.name, {})[str(comparison.metric)] = comparison.score
    metrics = list(scores[baseline])
    rows = [[name, *map(values.get, metrics)] for name, values in scores.items()]
    places = {name: place for place, name in enumerate(scores)}
    marks: dict[tuple[int, int], str] = {}
    best: set[tuple[int, int]] = set()
    for column, metric in enumerate(metrics, 1):
        of_metric = [comparison for comparison in comparisons if str(comparison.metric) == metric]
        highest = max(values[metric] for values in scores.values())
        best |= {(places[name], column) for name in _winners(of_metric, highest)}
        signs = {
            comparison.name: SIGNS[comparison.finding]
            for comparison in of_metric
            if comparison.finding in SIGNS
        }
        marks |= {(places[name], column): sign for name, sign in signs.items()}
    columns = [Column("system", "text"), *(scale.column(metric) for metric in metrics)]
    style = Style(frozenset(best), marks=marks, rules=frozenset(range(1, len(rows))[:1]))
    title = f"{', '.join(metrics)}{' in percent' if scale.share else ''}"
    notes = [_legend(baseline, marks.values()), *[BOLD] * bool(best)]
    return Table("results", title, columns, rows, source_of(comparisons), notes, style=style)


def _winners(comparisons: Sequence[SystemComparison], highest: float) -> set[str]:
    """Return the systems with the highest score that are shown to be better than all others."""
    winners = {
        comparison.name
        for comparison in comparisons
        if (comparison.finding, comparison.score) == ("better", highest)
    }
    lost = all(comparison.finding == "worse" for comparison in comparisons)
    return {comparisons[0].baseline} if lost else winners


def _legend(baseline: str, signs: Collection[str]) -> str:
    if not signs:
        return "No difference is significant."
    words = {sign: f"{sign} {word} than {baseline}" for word, sign in SIGNS.items()}
    shown = ", ".join(text for sign, text in words.items() if sign in signs)
    return f"p at most .05 after Holm's correction over all comparisons: {shown}."
