"""The questions of each hop count or type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from harness.core.arrays import Int64Array
from harness.evaluation.metric import groups
from harness.sweep.folder import View

POOLED = "3 or more hops"
Groups = Mapping[str, Int64Array]
"""The questions of each group by its label."""


def labelled(view: View, kind: Literal["hops", "type"]) -> dict[str, Int64Array]:
    """Return the questions int64[n] of each hop count (``2 hops``) or type (``type bridge``)."""
    form = "{} hops" if kind == "hops" else "type {}"
    return {form.format(name): members for name, members in groups(view.queries[kind]).items()}


def pooled_hops(parts: Groups) -> dict[str, Int64Array]:
    """Return the questions int64[n] of three hops and more; empty if these are one hop count.

    Args:
        parts: the questions of each hop count, by ``2 hops``.
    """
    many = [own for label, own in parts.items() if label not in ("1 hops", "2 hops")]
    return {POOLED: np.sort(np.concatenate(many))} if len(many) > 1 else {}
