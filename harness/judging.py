"""What `harness evaluate` and `compare` share: the gold of a split, and whether a run is about its queries."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.benchmark import SPLITS
from harness.errors import HarnessError, one_of
from harness.evaluation import coverage
from harness.gold import Gold
from harness.lists import Spool
from harness.metric.rank import Ties
from harness.run import Run

if TYPE_CHECKING:
    from omegaconf import DictConfig

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Judging:
    """whole: the gold. gold: that of the split. strict: whether runs must hold exactly the gold's queries."""

    whole: Gold
    gold: Gold
    split: str
    ties: Ties
    strict: bool

    @classmethod
    def of(cls, config: DictConfig) -> Judging:
        """From the keys gold, split, ties and strict."""
        one_of("split", config.split, SPLITS)
        one_of("ties", config.ties, ("house", "trec"))
        whole = Gold.read(str(config.gold))
        part = whole.split(config.split)
        if not len(part):
            raise HarnessError(f"{whole.source}: none of its {len(whole)} queries is in split={config.split}")
        return cls(whole, part, config.split, config.ties, bool(config.strict))

    def facts(self) -> dict[str, Any]:
        """For the result."""
        return {"gold": self.whole.source, "split": self.split, "ties": self.ties}

    def checked(self, key: str, source: str, run: Run | Spool) -> dict[str, int]:
        """The run's coverage, shown when it is not whole; raises when it is empty, or when strict and not whole."""
        found = coverage(run, self.whole, self.gold)
        if found["missing"] == len(self.gold):
            raise HarnessError(
                f"{source} ({key}) and {self.whole.source} share no query of split={self.split}; check their query ids"
            )
        if any(found.values()):
            text = (
                f"{source}: lacks {found['missing']} of {len(self.gold)} gold queries, "
                f"holds {found['unknown']} that {self.whole.source} does not know"
            )
            if self.strict:
                raise HarnessError(f"{text}; give a run of exactly these queries, or strict=false")
            log.warning("%s (the former found nothing, the latter are not scored)", text)
        return found
