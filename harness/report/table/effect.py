"""Where the winner wins: its effect against each list by hop count and question type, and whether
it differs there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from harness.core.table import Column, Field, Table
from harness.evaluation.comparison import Comparison, corrected
from harness.evaluation.conclusion import judged
from harness.evaluation.metric import groups
from harness.evaluation.statistic import interaction
from harness.sweep.folder import View

WHOLE = "all"
Groups = Mapping[str, NDArray[np.int64]]
"""The questions of each group, by its label."""


@dataclass(frozen=True, eq=False)
class Effect:
    """The winner against a single list on all queries, and on those of each hop count or question
    type.

    name: of the list.    parts: by ``2 hops``, ``type bridge``.
    """

    name: str
    whole: Comparison
    hops: Mapping[str, Comparison]
    types: Mapping[str, Comparison]
    p_hops: float | None
    p_types: float | None

    @cached_property
    def parts(self) -> dict[str, Comparison]:
        """Both, by label."""
        return {**self.hops, **self.types}


def effects(view: View) -> list[Effect]:
    """Against the reference, the best single list on tune, and the other lists; not against the
    winner's own list.
    """
    ordered = dict.fromkeys([*view.rivals, *view.singles])
    names = [
        name
        for name in ordered
        if view.singles.get(name) not in (None, view.best_place, view.winner_place)
    ]
    kinds = [
        parts if len(parts) > 1 else {}
        for parts in (labelled(view, kind) for kind in ("hops", "type"))
    ]
    return [_effect(view, name, *kinds) for name in names]


def labelled(view: View, kind: str) -> dict[str, NDArray[np.int64]]:
    """Questions int64[n] of each hop count (``2 hops``) or type (``type bridge``).    kind:
    ``hops``, ``type``.
    """
    found = groups(view.queries[kind]).items()
    return {
        f"{label} hops" if kind == "hops" else f"type {label}": members for label, members in found
    }


def _effect(view: View, name: str, by_hops: Groups, by_type: Groups) -> Effect:
    """The questions of each hop count, and of each type; a type that is a hop count (MuSiQue's) is
    no second part.
    """
    pair = view.winner_place, view.singles[name]
    apart = view.scores[pair[0]] - view.scores[pair[1]]
    held = {part.tobytes() for part in by_hops.values()}
    own = {label: part for label, part in by_type.items() if part.tobytes() not in held}
    hops, types = (
        {label: view.compare(*pair, part) for label, part in parts.items()}
        for parts in (by_hops, own)
    )
    kinds = by_hops, by_type if own else {}
    ps = (
        interaction(apart, [*parts.values()], view.clusters) if parts else None for parts in kinds
    )
    return Effect(name, view.compare(*pair), hops, types, *ps)


def effect(view: View) -> list[Table]:
    """The table; empty where the winner is the only list."""
    found = effects(view)
    parts = iter(corrected([part for one in found for part in one.parts.values()], view.evaluation))
    rows: list[tuple[Effect, str, Comparison]] = []
    for one in found:
        own = [(one, label, next(parts)) for label in one.parts]
        told = one.name == view.reference  # by hops and in all, by the table of hop counts
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
        f"The winner ({view.winner_name}) by hop count and question type. Difference in points "
        "with a score interval; "
        "p: exact McNemar by question; Holm p: over the rows by hop count and type; hops differ, "
        "types differ: p of "
        "Wald's F by cluster that the difference is the same in all groups of 30 questions or "
        "more. Holm p and the "
        "interval are by cluster where questions share gold passages."
    ]
    return [
        Table.of(
            "effect",
            f"The winner against each list on {view.half}",
            fields,
            rows,
            view.source,
            notes,
        )
    ]


def exceptions(view: View) -> list[tuple[str, Effect, Comparison]]:
    """The hop counts where a single list scores more than the winner: the label, the best such
    list, the comparison, whose p is corrected over all lists and hop counts.
    """
    found = effects(view)
    parts = iter(corrected([part for one in found for part in one.hops.values()], view.evaluation))
    by_label: dict[str, list[tuple[str, Effect, Comparison]]] = {}
    for one in found:
        for label in one.hops:
            by_label.setdefault(label, []).append((label, one, next(parts)))
    worst = (min(each, key=lambda one: one[2].difference) for each in by_label.values())
    return [one for one in worst if one[2].difference < 0]
