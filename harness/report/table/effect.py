"""Where the winner wins: its effect against each list by hop count and question type, and whether it differs there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from harness.core.table import Column, Table
from harness.evaluation.comparison import Comparison, corrected_ps
from harness.evaluation.metric import groups
from harness.evaluation.statistic import interaction
from harness.sweep.folder import View


@dataclass(frozen=True, eq=False)
class Effect:
    """The winner against a single list on all queries, and on those of each hop count or question type.

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
    """Against the reference, the best single list on tune, and the other lists; not against the winner's own list."""
    ordered = dict.fromkeys([*view.rivals, *view.singles])
    names = [name for name in ordered if view.singles.get(name) not in (None, view.best_place, view.winner_place)]
    ours = view.scores[view.winner_place]
    kinds = {kind: groups(view.queries[kind]) for kind in ("hops", "type")}
    labelled = {
        kind: {f"{label} hops" if kind == "hops" else f"type {label}": part for label, part in found.items()}
        for kind, found in kinds.items()
        if len(found) > 1
    }
    found = []
    for name in names:
        theirs = view.scores[view.singles[name]]

        def against(part: Any, theirs: Any = theirs) -> Comparison:
            return Comparison.of(ours[part], theirs[part], view.metric.binary, view.margin, view.clusters[part])

        by_kind = {kind: {label: against(part) for label, part in parts.items()} for kind, parts in labelled.items()}
        ps = {kind: interaction(ours - theirs, [*parts.values()], view.clusters) for kind, parts in labelled.items()}
        found.append(
            Effect(
                name, against(slice(None)), by_kind.get("hops", {}), by_kind.get("type", {}), ps.get("hops"),
                ps.get("type"),
            )
        )  # fmt: skip
    return found


def effect(view: View) -> list[Table]:
    """The table; empty where the winner is the only list."""
    found = effects(view)
    if not found:
        return []
    pairs = [(one, label, part) for one in found for label, part in one.parts.items()]
    corrected = iter([p for p, _ in corrected_ps([part for *_, part in pairs])] if pairs else [])
    rows: list[Sequence[Any]] = []
    for one in found:
        rows.append([one.name, "all", *_numbers(one.whole), None, one.p_hops, one.p_types])
        rows += [[one.name, label, *_numbers(part), next(corrected), None, None] for label, part in one.parts.items()]
    columns = [
        Column("against", "text"), Column("queries", "text"), Column("n", "count"), Column("W", "count"),
        Column("L", "count"), Column("difference", "points"), Column("95% of difference", "span", "difference"),
        Column("p", "p"), Column("Holm p", "p"), Column("hops differ, p", "p"), Column("types differ, p", "p"),
    ]  # fmt: skip
    notes = [
        f"The winner ({view.winner_name}) by hop count and question type. Difference in points with a score interval; "
        "p: exact McNemar by query; Holm p: over the rows by hop count and type; hops differ, types differ: Wald's F "
        "by cluster that the difference is the same in all groups of 30 queries or more. Holm p and the interval are "
        "by cluster where queries share gold passages."
    ]
    return [Table("effect", "Where the winner wins against each list", columns, rows, view.source, notes)]


def exceptions(view: View) -> list[tuple[str, Effect, Comparison, float | None]]:
    """The hop counts where a single list scores more than the winner: the label, the best such list, the comparison,
    and its p after Holm's correction over all lists and hop counts.
    """
    found = effects(view)
    pairs = [(one, label, part) for one in found for label, part in one.hops.items()]
    ps = corrected_ps([part for *_, part in pairs]) if pairs else []
    worst: dict[str, tuple[str, Effect, Comparison, float | None]] = {}
    for (one, label, part), (p, _) in zip(pairs, ps, strict=True):
        if part.difference < min(0.0, worst[label][2].difference if label in worst else 0.0):
            worst[label] = label, one, part, p
    return [worst[label] for label in dict.fromkeys(label for _, label, _ in pairs) if label in worst]


def _numbers(one: Comparison) -> list[Any]:
    return [one.n, one.wins, one.losses, one.difference, one.interval, one.p]
