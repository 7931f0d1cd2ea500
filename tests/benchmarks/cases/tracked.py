"""A whole sweep that is logged to MLflow, against the same sweep that is not: what logging adds to the wall clock."""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

from tests.benchmarks.measure import Case


def case(quick: bool) -> Case:
    folder = Path(tempfile.mkdtemp(prefix="harness-benchmark-"))
    passages = 200 if quick else 2000
    fresh = itertools.count()

    def swept(*tracking: str) -> Path:
        command = [
            sys.executable, "-m", "harness", "sweep", f"dataset.passages={passages}", "encoder=hashed",
            f"paths.runs={folder / 'runs'}", f"paths.reports={folder / 'reports'}", *tracking,
        ]  # fmt: skip
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return Path(told.splitlines()[-1])

    return Case(
        work=f"harness sweep, grid default, a made-up world of {passages} passages, its lists read from artifacts, "
        "tracking=mlflow into a SQLite store, a new experiment and a new process each time",
        peer="the same with tracking=none",
        ours=lambda: swept("tracking=mlflow", f"tracking.experiment=repeat-{next(fresh)}"),
        theirs=lambda: swept("tracking=none"),
        check=lambda ours, theirs: agree(ours, theirs, folder),
        aim=1 / 1.1,
        packages=("mlflow",),
    )


def agree(ours: Path, theirs: Path, folder: Path) -> str:
    """The same trials with the same metrics, and MLflow reads them all."""
    from mlflow.tracking import MlflowClient

    pd.testing.assert_frame_equal(*(pd.read_parquet(sweep / "trials.parquet") for sweep in (ours, theirs)))
    client = MlflowClient(f"sqlite:///{folder / 'runs' / 'mlflow.db'}")
    ids = [experiment.experiment_id for experiment in client.search_experiments()]
    logged, trials = len(client.search_runs(ids, max_results=5000)), len(pd.read_parquet(ours / "trials.parquet"))
    if logged < trials:
        raise AssertionError(f"{logged} runs of {trials} trials are logged")
    return f"the same {trials} rows; MLflow reads {logged} runs"
