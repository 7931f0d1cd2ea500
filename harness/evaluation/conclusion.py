"""A comparison in plain sentences: what is better, by how much, whether by chance, and what could not be seen."""

from __future__ import annotations

from harness.core.format import LEVEL, p_value, percent, points, span
from harness.evaluation.comparison import Comparison


def conclude(found: Comparison, ours: str, theirs: str, p: float | None = None) -> list[str]:
    """One or two sentences.    p: the comparison's, corrected for others; its own when None."""
    p = found.p if p is None else p
    verdict = "no difference is shown"
    if p <= LEVEL:
        verdict = f"which is {'better' if found.difference > 0 else 'WORSE'}"
    sentences = [
        f"{ours} scores {percent(found.score)}% and {theirs} {percent(found.baseline_score)}%: "
        f"{points(found.difference)} points (95% {span(found.interval)}; "
        f"{found.wins} won, {found.losses} lost, p {p_value(p)}), {verdict}."
    ]
    if p > LEVEL:
        sentences.append(_limit(found))
    return sentences


def _limit(found: Comparison) -> str:
    """What a comparison without a finding can still say."""
    margin = f"{100 * found.margin:g} points"
    if found.p_equivalent is not None and found.p_equivalent <= LEVEL:
        return f"They are shown to differ by less than {margin} (p {p_value(found.p_equivalent)})."
    if found.detectable is None:
        return f"With {found.n} questions that differ so seldom, even a real difference would often be missed."
    return f"A net win below {points(found.detectable)} points would often be missed with {found.n} questions."
