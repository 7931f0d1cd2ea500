"""List the sweeps of the runs folder, or what can be chosen: `harness list fuser`, `harness list
metric`.

Of a sweep: typed parameters, trials, winner, whether test was evaluated. Of a concept (a
folder of conf/): every name that there is, those of plug-ins and of your own packages too, and what
it is.

  harness list
  harness list paths.runs=/scratch/runs
  harness list metric                     also: encoder, experiment, extractor, fuser, grid, normalizer, retriever, ...
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from omegaconf import DictConfig, OmegaConf

from harness.core.errors import HarnessError, nearest

if TYPE_CHECKING:
    from harness.core.table import Table


def run(config: DictConfig) -> None:
    """Print the table."""
    from harness.core.table import fit, shown_lines
    from harness.sweep.folder.inventory import sweeps
    from harness.sweep.heldout.ledger import Ledger

    if not OmegaConf.is_missing(config, "concept"):
        print(*fit(_names(str(config.concept))), sep="\n")
        return
    seen = {str(entry.get("lock_sha256")) for entry in Ledger(Path(config.paths.ledger)).entries()}
    print(*shown_lines(sweeps(Path(config.paths.runs), seen)), sep="\n")


def _names(concept: str) -> Table:
    """Return the names of a concept with their descriptions."""
    from harness.core.configuration.conf_files import concepts, described
    from harness.core.table import Column, Table
    from harness.evaluation.metric import described_metrics
    from harness.sweep.judge.trial_table import OUTCOMES

    known = ["metric", *concepts()]
    if concept not in known:
        raise HarnessError(
            f"concept={concept} is not known{nearest(concept, known)}; known: "
            f"{', '.join(sorted(known))}"
        )
    descriptions = (
        {**described_metrics(), **OUTCOMES} if concept == "metric" else described(concept)
    )
    rows = [[name, text] for name, text in descriptions.items()]
    return Table(concept, concept, [Column(concept, "text"), Column("what it is", "text")], rows)
