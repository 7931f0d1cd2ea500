"""A sweep with a tracker, against the same sweep without: what the user waits for until the table
stands.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

from harness.core.configuration.composition import compose
from harness.core.configuration.instantiation import instantiate
from harness.report.tracking.export import update
from tests.benchmarks.measure import Case
from tests.world.generate import write


def case(quick: bool) -> Case:
    folder = Path(tempfile.mkdtemp(prefix="harness-benchmark-"))
    passages = 200 if quick else 2000
    fresh = itertools.count()
    world = write(folder / "world", passages)

    def swept(*tracking: str) -> Path:
        command = [
            sys.executable,
            "-m",
            "harness",
            "sweep",
            "dataset=folder",
            f"dataset.path={world}",
            "encoder=hashed",
            f"paths.runs={folder / 'runs'}",
            f"paths.reports={folder / 'reports'}",
            *tracking,
        ]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        found = next(
            line.strip() for line in lines if line.startswith(str(folder))
        )  # the export comes after it
        process.kill()
        process.wait()
        return Path(found)

    return Case(
        work=f"harness sweep, grid default, a made-up world of {passages} passages, its lists read from artifacts, "
        "tracking=mlflow into a SQLite store, a new experiment and a new process each time, "
        "until the table stands",
        peer="the same with tracking=none",
        ours=lambda: swept("tracking=mlflow", f"tracking.experiment=repeat-{next(fresh)}"),
        theirs=lambda: swept("tracking=none"),
        check=lambda ours, theirs: agree(ours, theirs, folder),
        aim=1 / 1.1,
        packages=("mlflow",),
    )


def agree(ours: Path, theirs: Path, folder: Path) -> str:
    """The same trials with the same metrics, and the copy whose process was ended is made."""
    runs = folder / "runs"
    configured = instantiate(compose("ui", [f"paths.runs={runs}"]).tracking)
    update(configured, runs, str(ours))  # theirs, the same folder, has no tracker
    from mlflow.tracking import MlflowClient

    pd.testing.assert_frame_equal(
        *(pd.read_parquet(sweep / "trials.parquet") for sweep in (ours, theirs))
    )
    client = MlflowClient(f"sqlite:///{folder / 'runs' / 'mlflow.db'}")
    ids = [experiment.experiment_id for experiment in client.search_experiments()]
    trials = len(pd.read_parquet(ours / "trials.parquet"))
    sweeps = client.search_runs(ids, "tags.kind = 'sweep' and attributes.status = 'FINISHED'")
    if not sweeps:
        raise AssertionError("MLflow has no finished copy of the sweep")
    return f"the same {trials} rows; MLflow reads {len(sweeps)} copies of the sweep"
