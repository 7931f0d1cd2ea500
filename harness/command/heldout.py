"""Score the locked trials of a sweep on the test split, once, and write it down in the ledger.

Exactly what the lock holds is scored: the winner, the best trial of each fuser, and the untuned baselines, with Holm's
correction over them. It refuses when the data, the code or the lock has changed since the sweep. A test split that has
been evaluated before needs heldout.again=true, and every table then says which evaluation it shows.

  harness heldout                              the latest sweep
  harness heldout sweep=runs/sweeps/NAME       another one
  harness heldout heldout.again=true           once more
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omegaconf import DictConfig


def run(config: DictConfig) -> None:
    """Evaluate, report, and log."""
    from pathlib import Path

    from harness.configuration import instantiate
    from harness.report import terminal
    from harness.sweep.heldout import heldout
    from harness.sweep.plan import Prepared, reopened
    from harness.sweep.result import SweepResult, latest

    folder = Path(config.sweep) if config.sweep else latest(Path(config.paths.runs))
    plan = reopened(folder, config)
    result = heldout(SweepResult(folder), Prepared.of(plan), bool(config.heldout.again))
    print(terminal.heldout(result))
    tracking = instantiate(config.tracking)
    tracking.log_heldout(result)
    print(folder / "heldout.json")
