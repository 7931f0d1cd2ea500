"""A sweep's trials to MLflow, against a run, its parameters and its metrics at a time."""

from __future__ import annotations

import importlib.util
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from harness.sweep.result import SweepResult
from harness.tracking import entry
from harness.tracking.mlflow import MLflow
from tests.benchmarks.measure import Case

TRIALS, PARAMETERS, ALONE = 667, 15, 20
METRICS = [f"{name}@{k}" for name in ("last_hop", "full_sup", "recall", "ndcg", "mrr") for k in (1, 2, 5, 10)]


def case(quick: bool) -> Case:
    import mlflow

    count = 20 if quick else TRIALS
    folder = Path(tempfile.mkdtemp(prefix="harness-benchmark-"))
    result = finished(folder / "sweeps" / "one", count)
    entries = list(entry.sweep(result, "benchmark").entries)[1 : ALONE + 1]
    numbers = iter(range(10**6))

    def ours() -> str:
        place = folder / f"ours{next(numbers)}"
        shutil.copytree(folder / "empty", place)
        tracker = MLflow(f"sqlite:///{place}/mlflow.db", "benchmark", str(place / "files"))
        tracker.log_sweep(result)
        return f"sqlite:///{place}/mlflow.db"

    def theirs() -> str:
        with mlflow.start_run():
            for own in entries:
                with mlflow.start_run(nested=True):
                    mlflow.log_params(dict(own.params))
                    mlflow.log_metrics(dict(own.metrics))
        return f"sqlite:///{folder}/peer.db"

    MLflow(f"sqlite:///{folder}/empty/mlflow.db", "benchmark", str(folder / "empty" / "files")).prepare()
    mlflow.set_tracking_uri(f"sqlite:///{folder}/peer.db")
    mlflow.set_experiment("benchmark")
    return Case(
        work=f"{count} trials, at least {PARAMETERS} parameters and 20 metrics each, into a new SQLite store "
        "(its schema made beforehand on both sides)",
        peer=f"mlflow.start_run + log_params + log_metrics in a loop, scaled from {ALONE} runs",
        ours=ours,
        theirs=theirs,
        check=lambda mine, peer: agree(mine, peer, count),
        aim=3,
        packages=("mlflow",),
        scale=count / ALONE,
    )


def finished(folder: Path, count: int) -> SweepResult:
    """The folder of a sweep with that many trials."""
    place = Path(__file__).parents[2] / "report" / "example.py"
    spec = importlib.util.spec_from_file_location("example", place)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    result = example.write(folder)
    random = np.random.default_rng(0)
    rows = []
    for number in range(count):
        row = {**example.row(0), "trial": f"{number:016x}", "name": f"trial {number}"}
        knobs = {f"fuser.k{place}": number + place for place in range(PARAMETERS - 2)}
        row["parameters"] = json.dumps({"fuser": "boltzmann", "normalizer": "pit", **knobs})
        rows.append({**row, **{name: float(value) for name, value in zip(METRICS, random.random(20), strict=True)}})
    pd.DataFrame(rows).to_parquet(result.folder / "trials.parquet")
    config = yaml.safe_load((result.folder / "config.yaml").read_text())
    (result.folder / "config.yaml").write_text(yaml.safe_dump({**config, "metrics": METRICS}))
    return SweepResult(result.folder)


def agree(ours: str, peer: str, count: int) -> str:
    """What MLflow itself reads back: the same parameters and metrics of the runs that both logged."""
    found = [_runs(uri) for uri in (ours, peer)]
    for name, (params, metrics) in found[1].items():
        if found[0][name][0] != params or found[0][name][1] != metrics:
            raise AssertionError(f"trial {name} is not logged alike")
    if len(found[0]) < count or not found[1]:
        raise AssertionError(f"{len(found[0])} and {len(found[1])} runs are read back")
    return (
        f"{len(found[1])} runs read back by MLflow are equal in all parameters and metrics; ours logged {len(found[0])}"
    )


def _runs(uri: str) -> dict[str, Any]:
    from mlflow.tracking import MlflowClient

    client = MlflowClient(uri)
    ids = [experiment.experiment_id for experiment in client.search_experiments()]
    runs = client.search_runs(ids, max_results=5000)
    return {
        run.data.params["fuser.k0"]: (run.data.params, run.data.metrics)
        for run in runs
        if "fuser.k0" in run.data.params
    }
