"""The winner's effect against each list by hop count and question type, with tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from harness.core.arrays import Int64Array
from harness.core.table import Column, Field, Table
from harness.evaluation.column import BY_CLUSTER, DIFFERENCE, MCNEMAR, judged
from harness.evaluation.metric import groups
from harness.evaluation.paired_comparison import Comparison, corrected
from harness.evaluation.statistic import interaction
from harness.sweep.folder import View, caption

WHOLE = "all"
POOLED = "3 or more hops"
Groups = Mapping[str, Int64Array]
"""The questions of each group by its label."""


@dataclass(frozen=True, eq=False)
class Effect:
    """The winner against a single list on all questions, and on those of each hop count or type.

    Attributes:
        name: name of the list.
        whole: the comparison on all questions.
        hops, types: the comparisons by label, ``2 hops`` or ``type bridge``.
        pooled: the comparison of three hops and more together, if these are several hop counts.
        p_hops, p_types: p of the test that the difference is the same in all groups.
    """

    name: str
    whole: Comparison
    hops: Mapping[str, Comparison]
    types: Mapping[str, Comparison]
    pooled: Mapping[str, Comparison]
    p_hops: float | None
    p_types: float | None

    @cached_property
    def parts(self) -> dict[str, Comparison]:
        """Return the comparisons of hop counts and types, by label."""
        return {**self.hops, **self.types}


def effects(view: View) -> list[Effect]:
    """Return the winner against the reference, the best single list on tune, and the other
    lists.
    """
    ordered = dict.fromkeys([*view.rivals, *view.singles])
    names = [
        name
        for name in ordered
        if view.singles.get(name) not in (None, view.best_place, view.winner_place)
    ]
    kinds = [
        parts if len(parts) > 1 else {}
        for parts in (labelled(view, "hops"), labelled(view, "type"))
    ]
    return [_effect(view, name, *kinds) for name in names]


def labelled(view: View, kind: Literal["hops", "type"]) -> dict[str, Int64Array]:
    """Return the questions int64[n] of each hop count (``2 hops``) or type (``type bridge``)."""
    found = groups(view.queries[kind]).items()
    return {
        f"{label} hops" if kind == "hops" else f"type {label}": members for label, members in found
    }


def pooled_hops(parts: Groups) -> dict[str, Int64Array]:
    """Return the questions int64[n] of three hops and more; empty if these are one hop count.

    Args:
        parts: the questions of each hop count, by ``2 hops``.
    """
    many = [own for label, own in parts.items() if label not in ("1 hops", "2 hops")]
    return {POOLED: np.sort(np.concatenate(many))} if len(many) > 1 else {}


def _effect(view: View, name: str, by_hops: Groups, by_type: Groups) -> Effect:
    """Return the winner's effect against one list.

    A type that is a hop count (as in MuSiQue) is no second group.
    """
    pair = view.winner_place, view.singles[name]
    apart = view.scores[pair[0]] - view.scores[pair[1]]
    held = {part.tobytes() for part in by_hops.values()}
    own = {label: part for label, part in by_type.items() if part.tobytes() not in held}
    hops, types, pooled = (
        {label: view.compare(*pair, part) for label, part in parts.items()}
        for parts in (by_hops, own, pooled_hops(by_hops))
    )
    kinds = by_hops, by_type if own else {}
    ps = (
        interaction(apart, [*parts.values()], view.clusters) if parts else None for parts in kinds
    )
    return Effect(name, view.compare(*pair), hops, types, pooled, *ps)


def effect(view: View) -> list[Table]:
    """Return the table; empty if the winner is the only list."""
    found = effects(view)
    parts = iter(corrected([part for one in found for part in one.parts.values()], view.evaluation))
    rows: list[tuple[Effect, str, Comparison]] = []
    for one in found:
        own = [(one, label, next(parts)) for label in one.parts]
        told = one.name == view.reference  # its rows are in the table of hop counts
        rows += own[len(one.hops) :] if told else [(one, WHOLE, one.whole), *own]
    if not rows:
        return []
    fields: list[Field[tuple[Effect, str, Comparison]]] = [
        Field(Column("against", "text"), lambda row: row[0].name),
        Field(Column("questions", "text"), lambda row: row[1]),
        *judged(
            lambda row: row[2], "n", "W", "L", "difference", "95% of difference", "p", "Holm p"
        ),
        Field(
            Column("hops differ, p", "p"), lambda row: row[0].p_hops if row[1] == WHOLE else None
        ),
        Field(
            Column("types differ, p", "p"), lambda row: row[0].p_types if row[1] == WHOLE else None
        ),
    ]
    notes = [
        f"The winner ({view.winner_name}) by hop count and question type; {DIFFERENCE}; {MCNEMAR}; "
        "Holm p: over the rows by hop count and type; hops differ, types differ: p of Wald's F by "
        "cluster that the difference is the same in all groups of 30 questions or more. "
        f"{BY_CLUSTER}."
    ]
    title = f"The winner against each list on {view.half}"
    return [Table.of("effect", title, fields, rows, caption.source(view), notes)]


def exceptions(view: View) -> list[tuple[str, Effect, Comparison]]:
    """Return the hop counts at which a single list scores more than the winner.

    Returns:
        The label, the best such list, and the comparison, for each hop count and for three hops and
        more together. The p are corrected over all lists and rows.
    """
    cells = [
        (label, one, found)
        for one in effects(view)
        for label, found in {**one.hops, **one.pooled}.items()
    ]
    worst: dict[str, tuple[str, Effect, Comparison]] = {}
    compared = corrected([found for _, _, found in cells], view.evaluation)
    for (label, one, _), found in zip(cells, compared, strict=True):
        if found.difference < min(0, worst[label][2].difference if label in worst else 0):
            worst[label] = label, one, found
    return list(worst.values())
