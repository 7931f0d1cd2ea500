"""Bring MLflow up to date with finished sweeps: their folders are the truth, MLflow holds a copy.

`sweep`, `heldout`, `report` and `answer` do this at their end. When the server was away then, or another one shall hold
a copy, this command makes it good. A second call changes nothing; an interrupted one goes on where it was.

  harness track                                       all sweeps and answers below paths.runs
  harness track sweep=runs/sweeps/NAME                one sweep; or sweep='[DIR,DIR]'
  harness track tracking.uri=http://mlflow.lab:5000   to another server (user, password, token: MLflow's environment)
  harness track tracking.top=null                     a run for every trial, not for the best 50 of each sweep
  harness track tracking.tags.team=graph              a tag of your own

The command line goes before MLFLOW_TRACKING_URI, MLFLOW_EXPERIMENT_NAME, MLFLOW_EXPERIMENT_ID and MLFLOW_RUN_NAME,
those go before conf/tracking/mlflow.yaml; where an experiment's id and its name are both set, the id holds. With
MLFLOW_RUN_ID, or within `mlflow.start_run()`, runs stand below that run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omegaconf import DictConfig


def run(config: DictConfig) -> None:
    """Export, and print the link of each."""
    from pathlib import Path

    from harness.command import plain, typed
    from harness.core.errors import HarnessError
    from harness.report.tracking import due, export_all, finished, tracker

    tracking, runs = tracker(config, typed()), Path(config.paths.runs)
    if not tracking.destination:
        raise HarnessError("tracking=none keeps no copies; use tracking=mlflow")
    tracking.check()
    missed = due(tracking, runs)
    exports = list(dict.fromkeys([*missed, *finished(runs, plain(config.sweep))]))
    links = export_all(tracking, runs, exports)
    for link in links:
        print(link)
    print(f"{len(links)} up to date in {tracking.destination}; {len(missed)} of them had been missed")
    if len(links) < len(exports):
        raise HarnessError(f"{len(exports) - len(links)} of {len(exports)} could not be exported (named above)")
