"""What `harness evaluate` and `compare` share: reading the gold, and saying what it and the runs have not in common."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from omegaconf import OmegaConf

from harness.core.errors import HarnessError, one_of
from harness.evaluation.coverage import Coverage
from harness.evaluation.gold import Gold

if TYPE_CHECKING:
    from omegaconf import DictConfig

log = logging.getLogger(__name__)


def read_gold(config: DictConfig) -> Gold:
    """The gold of the keys gold, lenient, dataset.chain, split and splitting; the key ties is checked, too."""
    one_of("ties", config.ties, ("house", "trec"))
    rule: Any = OmegaConf.to_container(config.dataset)
    return Gold.read(str(config.gold), config.lenient, rule["chain"]).split(config.split, config.splitting)


def show_coverage(coverages: Mapping[str, Coverage], gold: Gold, strict: bool) -> None:
    """Say on stderr what is not whole; with ``strict`` raise where a run has other queries than the gold.

    coverages: by the runs' files.
    """
    for source, found in coverages.items():
        if found.missing or found.unknown:
            text = (
                f"{source}: lacks {found.missing} of {found.queries} gold queries, "
                f"holds {found.unknown} that {gold.source} does not know"
            )
            if strict:
                raise HarnessError(f"{text}; give a run of exactly these queries, or strict=false")
            log.warning("%s (the former found nothing, the latter are not scored)", text)
        if found.empty:
            log.warning("%s: %d of its lists are empty", source, found.empty)
        for line in found.warnings():
            log.warning("%s: only %s", source, line)
