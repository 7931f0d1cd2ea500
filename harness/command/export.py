"""Write a finished sweep into one file, NAME.tar.zst, for another machine or an archive.

The file holds all that tables, figures and `harness verify` need; artifacts and the ledger stay. The same sweep gives
the same bytes. `harness import` unpacks it.

  harness export                               the latest sweep of this user in this folder
  harness export NAME                          runs/sweeps/NAME into NAME.tar.zst, here
  harness export runs/sweeps/NAME out=/archive/NAME.tar.zst
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omegaconf import DictConfig


def run(config: DictConfig) -> None:
    """Say which sweep and write the archive; its path is the last line."""
    from pathlib import Path

    from harness.sweep.folder import SUFFIX, export_sweep, named_or_latest

    folder = named_or_latest(config)
    print(f"sweep      {folder}")
    print(export_sweep(folder, Path(config.out or f"{folder.resolve().name}{SUFFIX}")))
