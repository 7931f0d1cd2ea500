"""A pool whose lists have been brought to a common scale; fusers read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import Tensor

from harness.core.errors import HarnessError, described, is_number
from harness.fusion.contract import check_bounds, checked
from harness.fusion.normalizer import Normalizer, for_list, least
from harness.fusion.pool import Listing, Pool
from harness.fusion.temperature import Temperature, boltzmann

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Calibrated:
    """A pool under a normalizer and a temperature; all trials of a pool share the
    cached results.
    """

    pool: Pool
    normalizer: Normalizer
    temperature: Temperature

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the lists, in the order in which they were given."""
        return tuple(self.pool.runs)

    def __getitem__(self, name: str) -> Scored:
        """Return a list by its name."""
        if name not in self.pool.runs:
            raise HarnessError(
                f"there is no list {name!r} in the pool; it has {', '.join(self.names)}"
            )
        return Scored(name, self)

    @property
    def lists(self) -> list[Scored]:
        """Return all lists."""
        return [self[name] for name in self.names]

    def pair(self) -> tuple[Scored, Scored]:
        """Return the two lists, the anchor first."""
        if len(self.names) == 1:
            raise HarnessError(
                f"alpha weighs two lists, and there is {self.names[0]} alone; add a list"
            )
        if len(self.names) != 2:
            weights = ", ".join(f"{name}: 1" for name in self.names)
            raise HarnessError(
                f"alpha weighs two lists, and the pool has {len(self.names)} "
                f"({', '.join(self.names)}); add 'fuser.weights={{{weights}}}'"
            )
        first, second = self.names
        return (self[second], self[first]) if second == self.anchor else (self[first], self[second])

    @property
    def anchor(self) -> str:
        """The list with share alpha, to which the others are added."""
        return self.pool.anchor

    @property
    def held(self) -> Tensor:
        """float64[Q, U]: number of lists that contain the document."""

        def compute() -> Tensor:
            return torch.stack([scored.present for scored in self.lists]).sum(0).double()

        return self.remember("held", compute)

    @property
    def consensus(self) -> Tensor:
        """float64[Q, U]: 1 if two lists or more contain the document, otherwise 0."""
        return self.remember("consensus", lambda: (self.held >= 2).double())

    def remember(self, key: object, compute: Callable[[], T]) -> T:
        """Return ``compute()``, cached for this pool and key."""
        return self.pool.remember(key, compute)

    def listed(self, name: str) -> Tensor:
        """Return float64[Q, N], the normalised values of a list in its own order."""
        listing = self.pool.listings[name]
        normalizer = for_list(self.normalizer, name)

        def compute() -> Tensor:
            normalised: object = normalizer(listing.scores, listing.present)
            values = checked(normalizer, normalised, listing.scores.shape, "a value a document")
            if normalizer.unit:
                wrong = ((values < 0) | (values > 1)) & listing.present
                check_bounds(
                    normalizer, values, wrong, "values in [0, 1], as it declares by `unit`"
                )
            return values

        return self.remember(("listed", name, normalizer), compute)

    def temperatures(self) -> dict[str, Tensor]:
        """float64[Q, 1] by name of the list."""

        def compute() -> dict[str, Tensor]:
            values = [self.listed(name) for name in self.names]
            present = [listing.present for listing in self.pool.listings.values()]
            result = self.temperature(values, present)
            if not isinstance(result, Sequence) or len(result) != len(values):
                raise HarnessError(
                    f"{type(self.temperature).__name__} gave {described(result)}, expected a "
                    f"tensor for each of {len(values)} lists"
                )
            shape = (self.pool.shape[0], 1)
            tensors = {}
            for name, tensor in zip(self.names, result, strict=True):
                tensor = checked(self.temperature, tensor, shape, "a temperature a query")
                check_bounds(self.temperature, tensor, tensor < 0, "temperatures of at least 0")
                tensors[name] = tensor
            return tensors

        normalizers = tuple(for_list(self.normalizer, name) for name in self.names)
        return self.remember(("temperatures", normalizers, self.temperature), compute)


@dataclass(frozen=True, eq=False)
class Scored:
    """One list of a calibrated pool; all tensors are [Q, U], with a column for each document of the
    pool.

    Multiplicative fusers read ``floored`` and ``log_probabilities``: an absent document has half of
    the list's smallest value, and an empty list gives 1 to all documents, so that products do not
    change.
    """

    name: str
    owner: Calibrated

    @property
    def listing(self) -> Listing:
        """The list in its own order."""
        return self.owner.pool.listings[self.name]

    @property
    def normalizer(self) -> Normalizer:
        """The normalizer of this list."""
        return for_list(self.owner.normalizer, self.name)

    def spread(self, listed: Tensor, absent: Tensor | float) -> Tensor:
        """Return [Q, U], values [Q, N] in the list's own order moved to the pool's columns."""
        return self.owner.pool.spread(self.name, listed, absent)

    def spread_floored(self, listed: Tensor) -> Tensor:
        """Return float64[Q, U], with half of the smallest value if absent, and 1
        for an empty list.
        """
        smallest = least(listed, self.listing.present)
        return self.spread(listed, torch.where(self.empty, 1.0, smallest / 2))

    @property
    def empty(self) -> Tensor:
        """bool[Q, 1]: whether the list is empty."""
        return ~self.listing.present.any(dim=-1, keepdim=True)

    def _remember(self, what: str, compute: Callable[[], Tensor], *reads: object) -> Tensor:
        """Return ``compute()``, cached for this list and what it reads."""
        return self.owner.remember((what, self.name, *reads), compute)

    @property
    def scores(self) -> Tensor:
        """float64: the list's own scores, -inf if absent."""
        return self._remember("scores", lambda: self.spread(self.listing.scores, -torch.inf))

    @property
    def present(self) -> Tensor:
        """bool: whether the list contains the document."""
        return self._remember("present", lambda: self.spread(self.listing.present, False))

    @property
    def ranks(self) -> Tensor:
        """float64: rank in the list, 1 for the best; inf if absent."""
        ranks = self.listing.ranks
        return self._remember("ranks", lambda: self.spread(ranks.double(), torch.inf))

    @property
    def values(self) -> Tensor:
        """float64: normalised values, the normalizer's absent value if absent."""

        def compute() -> Tensor:
            listed = self.owner.listed(self.name)
            absent: object = self.normalizer.absent(listed, self.listing.present)
            if not is_number(absent):
                shape, what = (len(listed), 1), "as absent value a number, or one a query"
                absent = checked(self.normalizer, absent, shape, what)
            return self.spread(listed, absent)

        return self._remember("values", compute, self.normalizer)

    @property
    def outdone(self) -> tuple[int, int, int]:
        """Numbers of questions: with the list, with a document below an absent one, with none above
        one.

        Questions with a document below an absent one are not counted in the last number.
        """
        listed, present = self.owner.listed(self.name), self.listing.present
        absent = self.normalizer.absent(listed, present)
        below = ((listed < absent) & present).any(dim=-1)
        level = ~((listed > absent) & present).any(dim=-1) & ~below & ~self.empty[:, 0]
        return int((~self.empty).sum()), int(below.sum()), int(level.sum())

    @property
    def floored(self) -> Tensor:
        """float64: normalised values, half of the smallest if absent."""
        listed = self.owner.listed(self.name)
        return self._remember("floored", lambda: self.spread_floored(listed), self.normalizer)

    @property
    def temperature(self) -> Tensor:
        """float64[Q, 1]: temperature T of this list."""
        return self.owner.temperatures()[self.name]

    @property
    def weights(self) -> Tensor:
        """float64[Q, N]: Boltzmann probabilities in the list's own order."""
        listed, present = self.owner.listed(self.name), self.listing.present
        return self._remember(
            "weights", lambda: boltzmann(listed, present, self.temperature), *self.calibration
        )

    @property
    def probabilities(self) -> Tensor:
        """float64: Boltzmann probabilities P, 0 if absent."""
        return self._remember(
            "probabilities", lambda: self.spread(self.weights, 0.0), *self.calibration
        )

    @property
    def log_probabilities(self) -> Tensor:
        """float64: ln P, with half of the smallest P if absent."""

        def compute() -> Tensor:
            floored = self.spread_floored(self.weights)
            return floored.clamp_(min=torch.finfo(floored.dtype).tiny).log_()

        return self._remember("log probabilities", compute, *self.calibration)

    @property
    def calibration(self) -> tuple[object, ...]:
        """All that the probabilities of this list depend on, as a key of ``remember``."""
        normalizers = tuple(for_list(self.owner.normalizer, name) for name in self.owner.names)
        return (self.name, normalizers, self.owner.temperature)
