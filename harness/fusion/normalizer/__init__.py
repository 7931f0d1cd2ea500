"""Normalizers: a list's scores to a common scale.

A normalizer is a frozen dataclass, called with ``scores`` float64[Q, N] and ``present`` bool[Q, N],
one list in the one order (each row descending, padding last), after the pool cap. It returns
float64[Q, N]; what it puts in the padding is never read. Sums over a row are taken with
``ordered_sum``, so that a value never depends on how wide its block is. A normalizer that treats
lists differently by their names is ``PerList``: ``of(name)`` is the normalizer of that list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Protocol, runtime_checkable

from torch import Tensor


@runtime_checkable
class Normalizer(Protocol):
    """unit: whether every value is in [0, 1], which Boltzmann weights and copulas need."""

    unit: ClassVar[bool]

    def __call__(self, scores: Tensor, present: Tensor) -> Tensor:
        """float64[Q, N]: the values of the list."""
        ...

    def absent(self, values: Tensor, present: Tensor) -> Tensor | float:
        """The value of a document that the list does not hold: a number, or float64[Q, 1]."""
        ...


class ZeroAbsent:
    """A normalizer under which a document that the list does not hold has 0."""

    def absent(self, values: Tensor, present: Tensor) -> float:
        """0."""
        return 0.0


class PerList(ZeroAbsent):
    """A normalizer that depends on which list it is given."""

    def of(self, name: str) -> Normalizer:
        """The normalizer of the list of that name. Equal ones compute the same values."""
        raise NotImplementedError

    def __call__(self, scores: Tensor, present: Tensor) -> Tensor:
        """Not for a list without a name: see ``of``."""
        raise TypeError(
            f"{type(self).__name__} depends on the list's name; call of(name)(scores, present)"
        )


def for_list(normalizer: Normalizer, name: str) -> Normalizer:
    """The normalizer of one list: itself, unless it is ``PerList``."""
    of: Callable[[str], Normalizer] | None = getattr(
        normalizer, "of", None
    )  # isinstance of a protocol takes 20 us
    return normalizer if of is None else of(name)


def counts(present: Tensor) -> Tensor:
    """int64[Q, 1]: how many documents each list holds."""
    return present.sum(dim=-1, keepdim=True)


def best(scores: Tensor) -> Tensor:
    """float64[Q, 1]: the first score of each list, its greatest; 0 for an empty list."""
    return scores[:, :1] if scores.shape[-1] else scores.new_zeros((scores.shape[0], 1))


def least(scores: Tensor, present: Tensor) -> Tensor:
    """float64[Q, 1]: the last score of each list, its smallest; 0 for an empty list."""
    if scores.shape[-1] == 0:
        return scores.new_zeros((scores.shape[0], 1))
    return scores.gather(-1, (counts(present) - 1).clamp_(min=0))


def ordered_sum(values: Tensor) -> Tensor:
    """[..., 1]: the sum along the last dimension, taken strictly from left to right.

    A tree-shaped sum changes in its last bit with the amount of padding; this one does not, nor
    with the thread count.
    """
    if values.shape[-1] == 0:
        return values.sum(dim=-1, keepdim=True)
    return values.cumsum(dim=-1)[..., -1:]


from harness.fusion.normalizer.none import Raw as Raw  # noqa: E402
from harness.fusion.normalizer.pit import Pit as Pit  # noqa: E402
from harness.fusion.normalizer.pit import group_starts as group_starts  # noqa: E402
from harness.fusion.normalizer.zscore import ZScore as ZScore  # noqa: E402
