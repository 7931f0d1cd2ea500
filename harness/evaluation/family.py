"""What is compared together: one rule, one size, a verdict for each comparison, one sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from harness.core.table import counted
from harness.evaluation.paired_comparison import Comparison, Rule, Verdict
from harness.evaluation.statistic import charge, holm

C = TypeVar("C", bound=Comparison)


@dataclass(frozen=True)
class Family(Generic[C]):
    """Comparisons that are decided together.

    Attributes:
        members: the comparisons with their verdicts, in the given order.
        rule: ``holm``: the deciding p of all members, corrected by Holm. ``sequence``: the winner's
            tests on test, in order, each at the whole level; a test is done only if all tests
            before it found the winner better. ``alone``: one comparison, which is not corrected.
        charge: the factor of p for earlier evaluations of test (see ``statistic.charge``).
    """

    members: Sequence[C]
    rule: Rule
    charge: int = 1

    @classmethod
    def of(cls, comparisons: Sequence[C], evaluation: int = 0) -> Family[C]:
        """Return the family of all that is compared together, corrected by Holm.

        Args:
            comparisons: the comparisons.
            evaluation: number of this evaluation of test, 0 for tune and for runs.
        """
        times = charge(evaluation)
        rule: Rule = "holm" if len(comparisons) > 1 else "alone"
        decided = []
        corrected = holm([comparison.p_deciding for comparison in comparisons]).tolist()
        for comparison, p in zip(comparisons, corrected, strict=True):
            charged = None if math.isnan(p) else min(1.0, times * p)
            verdict = Verdict(charged, rule, len(comparisons), times)
            decided.append(comparison.with_fields(verdict=verdict))
        return cls(decided, rule, times)

    @classmethod
    def sequence(cls, comparisons: Sequence[C], evaluation: int) -> Family[C]:
        """Return the tests of the winner on test: a fixed sequence, each at the whole level.

        A test that follows one which did not find the winner better is not done: its verdict has
        no p. This bounds the chance of any false finding by the level, without a correction
        (Maurer, Hothorn & Lehmacher 1995).

        Args:
            comparisons: those with the reference and with the best single list of tune, in this
                order; without a list that the winner ranks as, or that is the reference.
            evaluation: number of this evaluation of test, 1 for the first.
        """
        times, tested, decided = charge(evaluation), True, []
        for comparison in comparisons:
            p = comparison.p_deciding if tested else None
            if p is not None:
                p = min(1.0, times * p)
            verdict = Verdict(p, "sequence", 1, times, tested)
            decided.append(comparison.with_fields(verdict=verdict))
            tested = decided[-1].finding == "better"
        return cls(decided, "sequence", times)

    @property
    def sentence(self) -> str:
        """How the p of the family is corrected, for captions."""
        return describe(self.rule, len(self), self.charge)

    def __iter__(self) -> Iterator[C]:
        """Yield the members."""
        return iter(self.members)

    def __len__(self) -> int:
        """Return the size of the family."""
        return len(self.members)


def describe(rule: Rule, size: int, times: int = 1, how: str = "") -> str:
    """Return how the p of a family is corrected, for captions.

    Args:
        rule: see ``Family``.
        size: number of comparisons.
        times: the charge for earlier evaluations of test.
        how: the words after "p", such as ``by cluster``.
    """
    charged = f", times {times}" if times > 1 else ""
    if rule != "holm":
        return f"p{how}: not corrected{charged}"
    return f"Holm p{how}: corrected over {counted(size, 'comparison')}{charged}"
