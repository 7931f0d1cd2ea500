"""What a fuser sees: a pool whose lists have been brought to a common scale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar, cast

import torch
from torch import Tensor

from harness.errors import HarnessError
from harness.normalizer import Normalizer
from harness.pool import Listing, Pool
from harness.temperature import Temperature, boltzmann

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Calibrated:
    """A pool under a normalizer and a temperature. Every quantity is computed once per pool and shared by all trials."""

    pool: Pool
    normalizer: Normalizer
    temperature: Temperature

    @property
    def names(self) -> tuple[str, ...]:
        """The lists, in the order in which they were given."""
        return tuple(self.pool.listings)

    def __getitem__(self, name: str) -> Scored:
        """One list, by name."""
        if name not in self.pool.listings:
            raise HarnessError(f"there is no list {name!r} in the pool; it holds {', '.join(self.names)}")
        return Scored(name, self)

    @property
    def lists(self) -> list[Scored]:
        """All lists."""
        return [self[name] for name in self.names]

    def pair(self) -> tuple[Scored, Scored]:
        """The two lists, ``dense`` first when there is one."""
        if len(self.names) != 2:
            raise HarnessError(
                f"alpha shares the score between two lists, the pool holds {len(self.names)} "
                f"({', '.join(self.names)}); give fuser.weights={{name: weight, ...}} or set pool.lists"
            )
        first, second = self.names
        return (self[second], self[first]) if second == "dense" else (self[first], self[second])

    def remember(self, key: object, compute: Callable[[], T]) -> T:
        """``compute()``, once for this pool and key."""
        memo = self.pool.memo
        if key not in memo:
            memo[key] = compute()
        return cast(T, memo[key])

    def listed(self, name: str) -> Tensor:
        """float64[Q, N]: normalised values of a list in its own order."""
        listing = self.pool.listings[name]
        return self.remember(
            ("listed", name, self.normalizer), lambda: self.normalizer(listing.scores, listing.present)
        )

    def temperatures(self) -> dict[str, Tensor]:
        """float64[Q, 1] by list name."""

        def compute() -> dict[str, Tensor]:
            values = [self.listed(name) for name in self.names]
            present = [listing.present for listing in self.pool.listings.values()]
            return dict(zip(self.names, self.temperature(values, present), strict=True))

        return self.remember(("temperatures", self.normalizer, self.temperature), compute)


@dataclass(frozen=True, eq=False)
class Scored:
    """One list of a calibrated pool. All tensors are [Q, U], a column a document of the pool.

    ``floor`` and ``probability_floor`` are float64[Q, 1]: half of the list's smallest value, what an absent document
    has in the multiplicative fusers (0 for an empty list).
    """

    name: str
    owner: Calibrated

    @property
    def listing(self) -> Listing:
        """The list in its own order."""
        return self.owner.pool.listings[self.name]

    @cached_property
    def present(self) -> Tensor:
        """bool: the list holds this document."""
        return self.owner.remember(
            ("present", self.name), lambda: self.owner.pool.spread(self.name, self.listing.present, False)
        )

    @cached_property
    def ranks(self) -> Tensor:
        """int64: place in the list, 1 the best; 0 where absent."""
        return self.owner.remember(
            ("ranks", self.name), lambda: self.owner.pool.spread(self.name, self.listing.ranks, 0)
        )

    @cached_property
    def values(self) -> Tensor:
        """float64: normalised values, the normalizer's absent value where absent."""
        normalizer = self.owner.normalizer

        def compute() -> Tensor:
            values = self.owner.listed(self.name)
            absent = normalizer.absent(values, self.listing.present)
            return self.owner.pool.spread(self.name, values, absent)

        return self.owner.remember(("values", self.name, normalizer), compute)

    @cached_property
    def weights(self) -> Tensor:
        """float64[Q, N]: Boltzmann probabilities in the list's own order."""
        owner = self.owner

        def compute() -> Tensor:
            return boltzmann(owner.listed(self.name), self.listing.present, owner.temperatures()[self.name])

        return owner.remember(("weights", self.name, owner.normalizer, owner.temperature), compute)

    @cached_property
    def probabilities(self) -> Tensor:
        """float64: Boltzmann probabilities P, 0 where absent."""
        owner = self.owner
        key = ("probabilities", self.name, owner.normalizer, owner.temperature)
        return owner.remember(key, lambda: owner.pool.spread(self.name, self.weights, 0.0))

    @cached_property
    def floor(self) -> Tensor:
        """float64[Q, 1]: half of the smallest normalised value."""
        return self._half_smallest(self.owner.listed(self.name))

    @cached_property
    def probability_floor(self) -> Tensor:
        """float64[Q, 1]: half of the smallest probability."""
        return self._half_smallest(self.weights)

    def _half_smallest(self, listed: Tensor) -> Tensor:
        if listed.shape[1] == 0:
            return listed.new_zeros((listed.shape[0], 1))
        smallest = torch.where(self.listing.present, listed, torch.inf).amin(dim=1, keepdim=True)
        return torch.where(torch.isinf(smallest), 0.0, smallest / 2)
