"""The questions of each hop count or type, and where a single list beats the winner."""

from __future__ import annotations

from typing import Literal

import numpy as np

from harness.core.arrays import Int64Array
from harness.evaluation.family import Family
from harness.evaluation.metric import groups
from harness.evaluation.paired_comparison import Comparison
from harness.sweep.folder.view import View

POOLED = "3 or more hops"


def labelled(view: View, kind: Literal["hops", "type"]) -> dict[str, Int64Array]:
    """Return the questions int64[n] of each hop count (``2 hops``) or type (``type bridge``)."""
    form = "{} hops" if kind == "hops" else "type {}"
    return {form.format(name): members for name, members in groups(view.queries[kind]).items()}


def hop_counts(view: View) -> dict[str, Int64Array]:
    """Return the questions int64[n] of each hop count, and last of three hops and more together,
    unless these are one hop count.
    """
    parts = labelled(view, "hops")
    many = [members for label, members in parts.items() if label not in ("1 hops", "2 hops")]
    return {**parts, POOLED: np.sort(np.concatenate(many))} if len(many) > 1 else parts


def exceptions(view: View) -> list[tuple[str, str, Comparison]]:
    """Return the hop counts at which a single list scores more than the winner.

    Returns:
        The label, the name of the best such list, and the comparison of the winner with it, for
        each hop count and for three hops and more together. The p are corrected over all lists and
        rows.
    """
    parts = hop_counts(view)
    if len(parts) < 2:
        return []
    winners = (view.best_place, view.winner_place)
    names = dict.fromkeys([*view.rivals, *view.singles])
    rivals = {name: view.singles[name] for name in names if view.singles[name] not in winners}
    cells = [
        (label, name, view.compare(view.winner_place, place, members))
        for name, place in rivals.items()
        for label, members in parts.items()
    ]
    compared = Family.of([comparison for _, _, comparison in cells], view.evaluation)
    worst: dict[str, tuple[str, str, Comparison]] = {}
    for (label, name, _), comparison in zip(cells, compared, strict=True):
        least = worst[label][2].difference if label in worst else 0.0
        if comparison.difference < least:
            worst[label] = label, name, comparison
    return list(worst.values())
