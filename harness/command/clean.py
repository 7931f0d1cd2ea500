"""Remove from the runs folder what no locked sweep needs. Without dry_run=false it only says what that is.

Removed are: parts that processes left which have ended, sweeps that ended before their lock was written, and artifacts
that no sweep with a lock uses (they are built again when they are needed). Kept are: every sweep with a lock, what it
stands on, the ledger, and all answers of language models.

  harness clean                     what would be removed, why, and its size
  harness clean dry_run=false       remove it
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omegaconf import DictConfig


def run(config: DictConfig) -> None:
    """Find, say, and remove when asked to."""
    from pathlib import Path

    from harness.sweep.folder import leftovers, megabytes, remove

    found = [(each, each.size) for each in leftovers(Path(config.paths.runs))]
    for each, size in found:
        print(f"{each.path}  {megabytes(size)}: {each.why}")
        if not config.dry_run:
            remove(each)
    total = f"{len(found)} leftovers, {megabytes(sum(size for _, size in found))}"
    print(f"{total}; nothing was removed, dry_run=false removes them" if config.dry_run else f"removed {total}")
