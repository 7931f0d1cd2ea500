"""The lists that trials are compared with, and what is compared together; decided once a sweep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from harness.sweep.folder.lock import Lock

Group = tuple[Literal["list", "winner", "exploratory"], str]
"""The comparisons that are decided together: all with one list on tune (its name), the tests of the
winner on test, and all other comparisons on test.
"""


@dataclass(frozen=True)
class Baselines:
    """The trial of each single list, and the two lists that all trials are compared with.

    Attributes:
        lists: the hash of the trial of each list alone, on the whole list, by name.
        reference: the name of the list against which wins and losses are counted.
        best: the name of the best single list of tune, by the order of the protocol; None if no
            list is practical.
    """

    lists: Mapping[str, str]
    reference: str
    best: str | None

    @classmethod
    def of_lock(cls, lock: Lock) -> Baselines:
        """Return what a sweep locked."""
        return cls(lock["lists"], lock["reference"], lock["best_single"])

    @property
    def opponents(self) -> dict[str, str]:
        """The hashes of the reference and of the best list by name, the reference first."""
        names = dict.fromkeys([self.reference, self.best or self.reference])
        return {name: self.lists[name] for name in names if name in self.lists}


def group_of(split: str, trial: str, against: str, winner: str | None) -> Group:
    """Return the group of a comparison.

    Args:
        split: tune or test.
        trial: hash of the compared trial.
        against: name of the list.
        winner: hash of the locked winner.
    """
    if split == "tune":
        return "list", against
    return ("winner", "") if trial == winner else ("exploratory", "")
