"""The columns of a comparison and the words of their legends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from harness.core.table import SHARES, Column, Field, Scale
from harness.evaluation.paired_comparison import Comparison, Outcome

T = TypeVar("T")
COLUMNS: Mapping[str, Column] = {
    column.title: column
    for column in (
        Column("n", "count", name="n"),
        Column("score", "share", name="score"),
        Column("95% of score", "interval", of="score", name="wilson_cluster"),
        Column("baseline", "share", name="baseline_score"),
        Column("W", "count", name="wins"),
        Column("L", "count", name="losses"),
        Column("p", "p", name="p"),
        Column("p by question", "p", name="p"),
        Column("p by cluster", "p", name="p_deciding"),
        Column("Holm p", "p", name="p_holm"),
        Column("deciding p", "p", name="p_holm"),
        Column("difference", "points", name="difference"),
        Column("95% of difference", "span", of="difference", name="interval"),
        Column("OR", "value", name="odds_ratio"),
        Column("odds ratio", "value", name="odds_ratio"),
        Column("detectable", "points", name="detectable"),
    )
}
"""The columns of a comparison, by title. The name is that of the comparison's field."""


MCNEMAR = "p: exact two-sided McNemar by question"
SIGN = "p: sign flips of the mean by question (exact McNemar if all differences are -1, 0 or 1)"
BY_CLUSTER = "Holm p and intervals are by cluster if questions share gold passages"
DIFFERENCE = "difference in points with a score interval"


def won_lost(ours: str, theirs: str, wins: str = "W", losses: str = "L") -> str:
    """Return what the columns of won and lost questions count, for a legend."""
    return f"{wins}, {losses}: questions that {ours} finds and {theirs} does not, and the reverse"


def judged(
    of: Callable[[T], Comparison | Outcome | None],
    *titles: str,
    scale: Scale = SHARES,
    mark: str = "",
) -> list[Field[T]]:
    """Return columns of a comparison; cells are empty if an item has none.

    Args:
        of: returns the comparison of an item.
        titles: titles of the wanted columns, keys of ``COLUMNS``.
        scale: the unit of the scores.
        mark: added to each title.
    """
    fields = []
    for title in titles:
        known = COLUMNS[title]
        owner = scale.column(known.of, COLUMNS[known.of].kind).title if known.of in titles else ""
        column = scale.column(f"{title}{mark}", known.kind)
        column = replace(column, of=owner, name=known.name)
        fields.append(Field(column, partial(_value, of, known.name)))
    return fields


def _value(of: Callable[[T], Comparison | Outcome | None], name: str, item: T) -> Any:
    return None if (comparison := of(item)) is None else getattr(comparison, name)
