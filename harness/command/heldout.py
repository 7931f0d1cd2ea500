"""Score the locked trials of a sweep on the test split, once, and write it down in the ledger.

Only the locked trials are scored: the winner, the single lists, the best trial of each fuser, and
the untuned baselines. The winner is tested against the reference and, only if it is shown to be
better, against tune's best list, both without a correction; Holm corrects all other p. It refuses
if the data, the code or the lock changed since the sweep. A test split that was evaluated before
needs heldout.again=true; every table then says which evaluation it shows.

It prints the winner, the lists and the best trial of each fuser, by how much the winner is better,
whether the forecast of tune was right, and whether another list could add something to the best
one. explain=true also prints every locked trial, the comparison with the best list, and headroom.

MLflow gets a copy, unless the sweep was made with tracking=none.

  harness heldout                              the latest sweep
  harness heldout sweep=runs/sweeps/NAME       another one
  harness heldout heldout.again=true           once more
"""

from __future__ import annotations

import shlex
from pathlib import Path

from omegaconf import DictConfig

from harness.command import typed
from harness.core.configuration.extras import program
from harness.work.compute import measured


@measured
def run(config: DictConfig) -> None:
    """Evaluate, print, and export to the tracker."""
    from harness.report.console import terminal
    from harness.report.tracking.export import track, tracker_of
    from harness.sweep.folder.inventory import choose_one, name_origin
    from harness.sweep.folder.result import SweepResult
    from harness.sweep.heldout.locked_trials import heldout
    from harness.sweep.trial.plan import reopen
    from harness.sweep.trial.prepared import Prepared

    explain = config.explain
    folder = choose_one(Path(config.paths.runs), config.sweep)
    plan = reopen(folder, config)
    tracking = tracker_of(folder, config, any(text.startswith("tracking") for text in typed()))
    with name_origin(folder):
        result = heldout(SweepResult(folder), Prepared.of(plan), bool(config.heldout.again))
    print(terminal.heldout(result, explain))
    print(
        f"next: {program('harness')} report sweep={shlex.quote(str(folder))}    # tables, figures, a PDF and "
        "the site"
    )
    print(folder / "heldout.json", flush=True)
    if tracking.destination:
        track(tracking, folder)
