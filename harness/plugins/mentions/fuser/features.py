"""Features of documents in lists, and the wanted documents of judged queries, for
learned fusers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from harness.core.arrays import BoolArray, Int32Array
from harness.core.errors import HarnessError, one_of
from harness.fusion.calibrated import Scored
from harness.fusion.fuser import Calibrated
from harness.fusion.normalizer.minmax import MinMax

TARGETS = ("supporting", "last_hop")
READS = {"value": "values", "score": "scores", "minmax": "scores", "rank": "ranks"}
"""The input of each feature, in the words of ``Fuser.reads``."""


FEATURES: Mapping[str, Callable[[Scored], Tensor]] = {
    "value": lambda scored: scored.values,
    "score": lambda scored: scored.scores.masked_fill(~scored.present, 0.0),
    "minmax": lambda scored: (
        Calibrated(scored.owner.pool, MinMax(), scored.owner.temperature)[scored.name].values
    ),
    "rank": lambda scored: (scored.ranks + 1).log2().reciprocal(),
}
"""Features float64[Q, U] of a list: ``value`` by the trial's normalizer, ``score`` of the list,
``minmax`` scaled to [0, 1] within the list, ``rank`` 1 / log2(1 + rank). All but ``value`` are 0
if the list lacks the document.
"""


def check_features(features: Sequence[str]) -> None:
    """Raise HarnessError unless these are one or more distinct names of ``FEATURES``."""
    if isinstance(features, str) or not features or len(set(features)) != len(features):
        raise HarnessError(
            f"fuser.features must be a list of different names, got {features!r}; e.g. [rank, "
            "minmax]"
        )
    for name in features:
        one_of("fuser.features", name, FEATURES)


def feature_values(pool: Calibrated, name: str, features: Sequence[str]) -> list[Tensor]:
    """Return float64[Q, U] by feature, of the pool's documents in a list."""
    return [FEATURES[feature](pool[name]) for feature in features]


def wanted_documents(pool: Calibrated, gold: Int32Array, target: str, fuser: str) -> BoolArray:
    """Return bool[n], which of the pools' documents, row by row, belong to the target.

    If the hop order is unknown (padding -2), all gold is the target ``last_hop``.

    Args:
        pool: the documents.
        gold: int32[Q, H], with negative padding.
        target: a name of ``TARGETS``.
        fuser: its name, for errors.

    Raises:
        HarnessError: all documents belong to it, or none.
    """
    last = np.maximum((gold >= 0).sum(axis=1, keepdims=True) - 1, 0)
    earlier = (np.arange(gold.shape[1]) < last) & (gold.min(axis=1, keepdims=True, initial=0) >= -1)
    wanted = np.where(earlier, -1, gold) if target == "last_hop" else gold
    columns = pool.pool.columns(wanted)
    there = pool.pool.docs >= 0
    counts = torch.zeros(pool.pool.shape, dtype=torch.int32, device=there.device)
    if pool.pool.shape[1]:
        counts.scatter_add_(1, columns.clamp(min=0), (columns >= 0).int())
    labels: BoolArray = (counts[there] > 0).cpu().numpy()
    check_mixed(labels, f"fuser={fuser}", len(gold), f"documents in their pools are {target}")
    return labels


def check_mixed(labels: BoolArray, strategy: str, queries: int, wanted: str) -> None:
    """Raise HarnessError if all labels are equal. ``wanted`` says what a true one is."""
    if labels.all() or not labels.any():
        raise HarnessError(
            f"{strategy} cannot learn from these {queries} queries: {int(labels.sum())} of the "
            f"{len(labels)} {wanted}; it needs some of both kinds"
        )


def check_lists(key: str, known: Iterable[str], names: Sequence[str]) -> None:
    """Raise HarnessError unless a learned value of the key is of all these lists."""
    if missing := [name for name in names if name not in known]:
        raise HarnessError(
            f"{key} is of {', '.join(known) or 'no list'}, not of {', '.join(missing)}; learn it "
            "on these lists"
        )
