"""Show the evaluations of test splits that the ledger holds, or sign it: put its last hash into a git tag.

The ledger's hashes find accidents. Who can write the file can write all of them; a tag that others have fetched cannot
be changed unseen. `harness doctor`, run in that repository, compares the ledger with every tag of it.

  harness ledger                          every evaluation: which, when, of what
  harness ledger sign                     a tag harness-ledger/FIRST/LINES in the repository of the working directory
  harness ledger sign repository=paper    in another repository; then: git push origin --tags
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omegaconf import DictConfig


def run(config: DictConfig) -> None:
    """Show or sign."""
    from pathlib import Path

    from omegaconf import OmegaConf

    from harness.core.errors import one_of
    from harness.evaluation.gold import part_name
    from harness.sweep.heldout import Ledger, sign

    action = "show" if OmegaConf.is_missing(config, "action") else config.action
    one_of("action", action, ("show", "sign"))
    ledger = Ledger(Path(config.paths.ledger))
    if action == "sign":
        print(sign(ledger, Path(config.repository)))
        return
    for entry in ledger.entries():
        family = f", family {entry['family']['name']}" if entry.get("family") else ""
        split = part_name(entry["split"], entry.get("splitting", "md5"))
        what = f"{entry['dataset']} {split}, evaluation {entry['evaluation']}{family}"
        print(f"{entry['time']}  {what}: {entry['sweep']}")
    print(f"{len(ledger.entries())} evaluations in {ledger.path}, none changed")
