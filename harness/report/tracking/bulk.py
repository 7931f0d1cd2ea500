"""Many finished runs in one transaction of MLflow's database, with the rows that its client writes.

A request for each run costs four transactions. MLflow's own import of folders (``mlflow
migrate-filestore``) writes its tables in this way, too.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from mlflow.entities import Experiment
from mlflow.store.tracking.dbmodels import models
from mlflow.utils.mlflow_tags import MLFLOW_RUN_NAME, MLFLOW_USER
from sqlalchemy import Engine, insert

from harness.report.tracking.entry import TrackedRun


def insert_runs(
    engine: Engine,
    experiment: Experiment,
    runs: Sequence[TrackedRun],
    times: Sequence[int],
) -> None:
    """Add finished runs to an experiment, all of them or none; nobody measured when they ended.

    Args:
        engine: the database.
        experiment: the experiment.
        runs: the runs.
        times: begin of each, in milliseconds since the epoch.
    """
    number = int(experiment.experiment_id)
    keyed = {uuid.uuid4().hex: run for run in runs}
    began = dict(zip(keyed, times, strict=True))
    with engine.begin() as connection:
        rows = {
            models.SqlRun: [
                {
                    **_run(run, began[key]),
                    "run_uuid": key,
                    "experiment_id": number,
                    "artifact_uri": f"{experiment.artifact_location}/{key}/artifacts",
                }
                for key, run in keyed.items()
            ],
            **_values(keyed, began),
        }
        for model, several in rows.items():
            if several:
                connection.execute(insert(model.__table__), several)


Rows = dict[Any, list[dict[str, object]]]
"""The rows of each of MLflow's tables."""


def _values(keyed: Mapping[str, TrackedRun], began: Mapping[str, int]) -> Rows:
    """Return the rows of tags, parameters and metrics."""
    tags = {key: {**run.tags, MLFLOW_RUN_NAME: run.name} for key, run in keyed.items()}
    measured = _pairs({key: run.metrics for key, run in keyed.items()})
    for row in measured:
        row |= {"timestamp": began[str(row["run_uuid"])], "step": 0, "is_nan": False}
    return {
        models.SqlTag: _pairs(tags),
        models.SqlParam: _pairs({key: run.params for key, run in keyed.items()}),
        models.SqlMetric: measured,
        models.SqlLatestMetric: measured,
    }


def _run(run: TrackedRun, began: int) -> dict[str, object]:
    return {
        "name": run.name,
        "source_type": "UNKNOWN",
        "source_name": "",
        "entry_point_name": "",
        "source_version": "",
        "user_id": run.tags.get(MLFLOW_USER, "unknown"),
        "status": "FINISHED",
        "lifecycle_stage": "active",
        "start_time": began,
        "end_time": None,
        "deleted_time": None,
    }


def _pairs(keyed: Mapping[str, Mapping[str, object]]) -> list[dict[str, object]]:
    return [
        {"run_uuid": key, "key": name, "value": value}
        for key, values in keyed.items()
        for name, value in values.items()
    ]
