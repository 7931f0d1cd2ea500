"""Items without a score in some file: refused, left out of all files, or counted as 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from harness.core.errors import HarnessError, one_of
from harness.plugins.items.score.item_scores import Scores

RULES = ("drop", "zero")
MEND = (
    "score every item in every file, or give missing=drop (leave such items out) or missing=zero "
    "(count them as 0)"
)
SHOWN = 3
"""Number of items that a message names."""


@dataclass(frozen=True)
class Missing:
    """The treatment of missing scores.

    Args:
        rule: one of ``RULES``; None if no score may be missing.
        items: number of items in all files.
        lacks: for each file that lacks some, the items.
        below: whether a score is less than 0, if a missing one counts as 0.
    """

    rule: str | None = None
    items: int = 0
    lacks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    below: bool = False

    @property
    def left_out(self) -> frozenset[str]:
        """The items that are left out of all files."""
        return frozenset().union(*self.lacks.values()) if self.rule == "drop" else frozenset()

    def extent(self) -> str:
        """Return the part of a table's title on missing scores, or an empty text."""
        if not self.lacks:
            return ""
        if self.rule == "drop":
            return f", {len(self.left_out)} more without a score left out"
        return f", {sum(map(len, self.lacks.values()))} missing scores counted as 0"

    def cautions(self) -> list[str]:
        """Return sentences that say which file lacks which items."""
        if not self.lacks:
            return []
        done = "Missing scores count as 0"
        if self.rule == "drop":
            done = f"{len(self.left_out)} of {self.items} items are left out"
        parts = [
            f"{source} lacks {len(items)} ({_named(items)})" for source, items in self.lacks.items()
        ]
        less = ["Some scores are below 0, so a missing one counts as better."] if self.below else []
        return [f"{done}: {'; '.join(parts)}.", *less]

    def to_dict(self) -> dict[str, object]:
        """Return the rule and the number of items that each file lacks."""
        lacks = {source: len(items) for source, items in self.lacks.items()}
        return {"rule": self.rule, "lacks": lacks}


def complete(scores: Sequence[Scores], rule: str | None) -> tuple[list[Scores], Missing]:
    """Return the scores, all of the same items, and the record of missing ones.

    Args:
        scores: the scores of files.
        rule: ``drop`` leaves out each item that lacks a score in any of them, ``zero`` counts it as
            0.

    Raises:
        HarnessError: a score is missing and the rule is None, or no item is left.
    """
    if rule is not None:
        one_of("missing", rule, RULES)
    every = sorted(set().union(*(file.items for file in scores)))
    lacks = _lacking(scores, every, rule)
    below = rule == "zero" and any(bool((file.values < 0).any()) for file in scores)
    missing = Missing(rule, len(every), lacks, below)
    items = [item for item in every if item not in missing.left_out]
    if not items:
        raise HarnessError(
            f"{scores[0].source}: no item has a score in every file; nothing is left to compare"
        )
    clusters: dict[str, str | None] = {}
    for file in scores:
        clusters |= dict(zip(file.items, file.clusters or (), strict=False))
    return [_of_items(file, items, clusters) for file in scores], missing


def _lacking(
    scores: Sequence[Scores], every: Sequence[str], rule: str | None
) -> dict[str, list[str]]:
    """Return the items that each file lacks, by any of its metrics and each once."""
    lacks: dict[str, dict[str, None]] = {}
    for file in scores:
        absent = [item for item in every if item not in file.rows or item in file.lacks]
        if absent and rule is None:
            raise _refusal(file, absent, scores, len(every))
        if absent:
            lacks.setdefault(file.source, {}).update(dict.fromkeys(absent))
    return {name: list(items) for name, items in lacks.items()}


def _refusal(
    file: Scores, absent: Sequence[str], scores: Sequence[Scores], items: int
) -> HarnessError:
    """Return the error for the first item that a file lacks.

    An item with a row but without a score comes before one without a row.
    """
    if file.lacks:
        return HarnessError(f"{next(iter(file.lacks.values()))}; {MEND}")
    item = absent[0]
    other = next(other for other in scores if item in other.rows)
    return HarnessError(
        f"{other.places[other.rows[item]]}: item {item} has no score in {file.source}, which lacks "
        f"{len(absent)} of {items} ({_named(absent)}); {MEND}"
    )


def _of_items(scores: Scores, items: Sequence[str], clusters: Mapping[str, str | None]) -> Scores:
    """Return the scores of these items, 0 for a missing one."""
    values = np.zeros((len(items), scores.values.shape[1]))
    places, named = [scores.source] * len(items), [clusters.get(item) for item in items]
    for place, item in enumerate(items):
        if item in scores.rows:
            row = scores.rows[item]
            values[place] = np.nan_to_num(scores.values[row], nan=0.0)
            places[place] = scores.places[row]
            if scores.clusters is not None:
                named[place] = scores.clusters[row]
    if scores.clusters is not None and None in named:
        raise HarnessError(
            f"{scores.source}: item {items[named.index(None)]} has no cluster in any file; give it "
            "one"
        )
    labels = None if scores.clusters is None else named
    return replace(scores, items=items, values=values, clusters=labels, places=places, lacks={})


def _named(items: Sequence[str]) -> str:
    return ", ".join([*items[:SHOWN], *["..."] * (len(items) > SHOWN)])
