"""Normalizers, which bring a list's scores to a common scale.

A normalizer is a frozen dataclass, called with ``scores`` float64[Q, N] and ``present`` bool[Q, N]
of one list (each row descending, padding last), after the pool cap. It returns float64[Q, N];
values in the padding are never read. Sums over a row use ``ordered_sum``, so that a value never
depends on the width of its block. A normalizer that depends on the list's name is ``PerList``:
``of(name)`` is the normalizer of that list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar, Protocol, runtime_checkable

from torch import Tensor


@runtime_checkable
class Normalizer(Protocol):
    """The protocol of normalizers.

    Attributes:
        unit: whether every value is in [0, 1], which Boltzmann weights and copulas need.
    """

    unit: ClassVar[bool]

    def __call__(self, scores: Tensor, present: Tensor) -> Tensor:
        """Return float64[Q, N], the values of the list."""
        ...

    def absent(self, values: Tensor, present: Tensor) -> Tensor | float:
        """Return the value of a document that the list does not contain: a number, or float64[Q,
        1].
        """
        ...


class ZeroAbsent:
    """A normalizer that gives 0 to documents that the list does not contain."""

    def absent(self, values: Tensor, present: Tensor) -> float:
        """Return 0."""
        return 0.0


class PerList(ZeroAbsent):
    """A normalizer that depends on the name of the list."""

    def of(self, name: str) -> Normalizer:
        """Return the normalizer of a list; equal ones compute the same values."""
        raise NotImplementedError

    def lacks(self, names: Iterable[str]) -> str | None:
        """Return what must be said about some of these lists, and how, or None."""
        return None

    def __call__(self, scores: Tensor, present: Tensor) -> Tensor:
        """Raise HarnessError: use ``of`` first."""
        raise TypeError(
            f"{type(self).__name__} depends on the list's name; call of(name)(scores, present)"
        )


def for_list(normalizer: Normalizer, name: str) -> Normalizer:
    """Return the normalizer of one list: the normalizer itself, unless it is ``PerList``."""
    of: Callable[[str], Normalizer] | None = getattr(
        normalizer, "of", None
    )  # isinstance of a protocol takes 20 us
    return normalizer if of is None else of(name)


def counts(present: Tensor) -> Tensor:
    """Return int64[Q, 1], the number of documents in each list."""
    return present.sum(dim=-1, keepdim=True)


def best(scores: Tensor) -> Tensor:
    """Return float64[Q, 1], the first and greatest score of each list; 0 for an empty list."""
    return scores[:, :1] if scores.shape[-1] else scores.new_zeros((scores.shape[0], 1))


def least(scores: Tensor, present: Tensor) -> Tensor:
    """Return float64[Q, 1], the last and smallest score of each list; 0 for an empty list."""
    if scores.shape[-1] == 0:
        return scores.new_zeros((scores.shape[0], 1))
    return scores.gather(-1, (counts(present) - 1).clamp_(min=0))


def ordered_sum(values: Tensor) -> Tensor:
    """Return the sum along the last dimension, [..., 1], added strictly from left to right.

    The last bit of a tree-shaped sum depends on the amount of padding; this one depends neither on
    it nor on the number of threads.
    """
    if values.shape[-1] == 0:
        return values.sum(dim=-1, keepdim=True)
    return values.cumsum(dim=-1)[..., -1:]


from harness.fusion.normalizer.none import Raw as Raw  # noqa: E402
from harness.fusion.normalizer.pit import Pit as Pit  # noqa: E402
from harness.fusion.normalizer.pit import group_starts as group_starts  # noqa: E402
from harness.fusion.normalizer.zscore import ZScore as ZScore  # noqa: E402
