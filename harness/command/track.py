"""Bring MLflow up to date with finished sweeps: their folders are the truth, MLflow holds a copy.

`sweep` and `heldout` do this at their end. When the server was away then, or another one shall hold
a copy, this command makes it good. A second call changes nothing; an interrupted one goes on where it was.

  harness track                                       all sweeps below paths.runs
  harness track sweep=runs/sweeps/NAME                one sweep; or sweep='[DIR,DIR]'
  harness track tracking.uri=http://mlflow.lab:5000   to another server (user, password, token: MLflow's environment)
  harness track tracking.top=50                       a run for each of the best 50 trials, not for all
  harness track tracking.tags.team=graph              a tag of your own

Without tracking.uri, tracking.experiment, tracking.experiment_id and tracking.run_name, MLFLOW_TRACKING_URI,
MLFLOW_EXPERIMENT_NAME, MLFLOW_EXPERIMENT_ID and MLFLOW_RUN_NAME hold; of an experiment's id and its name the id. With
MLFLOW_RUN_ID, or within `mlflow.start_run()`, runs stand below that run.
"""

from __future__ import annotations

from pathlib import Path

from omegaconf import DictConfig

from harness.command import plain
from harness.core.errors import HarnessError


def run(config: DictConfig) -> None:
    """Export, and print the link of each."""
    from harness.report.tracking import export_all, finished, tracker

    tracking = tracker(config)
    if not tracking.destination:
        raise HarnessError("tracking=none keeps no copies; use tracking=mlflow")
    tracking.check()
    folders = finished(Path(config.paths.runs), plain(config.sweep))
    pages = export_all(tracking, folders)
    seen = [tracking.address(page, Path(config.paths.runs)) for page in pages]
    print(*dict.fromkeys(seen), f"{len(pages)} up to date in {tracking.destination}", sep="\n")
    if len(pages) < len(folders):
        raise HarnessError(f"{len(folders) - len(pages)} of {len(folders)} could not be exported (named above)")
