"""Many finished runs in one transaction of MLflow's database, with the rows that its client writes.

A request for each run costs four transactions. MLflow's own import of folders (``mlflow
migrate-filestore``) writes its tables in this way, too.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mlflow.entities import DatasetInput
from mlflow.store.tracking.dbmodels import models
from mlflow.utils.mlflow_tags import MLFLOW_RUN_NAME, MLFLOW_USER
from sqlalchemy import Engine, insert, select


@dataclass(frozen=True)
class FinishedRun:
    """A run to insert; began, ended: milliseconds since the epoch."""

    name: str
    began: int
    ended: int
    tags: Mapping[str, str]
    params: Mapping[str, str]
    metrics: Mapping[str, float]


def insert_runs(
    engine: Engine, experiment: str, runs: Sequence[FinishedRun], used: DatasetInput
) -> None:
    """Add the runs to an experiment, all of them or none.

    used: the input of each, a dataset of the experiment.
    """
    if not runs:
        return
    with engine.begin() as connection:
        place = connection.scalar(
            select(models.SqlExperiment.artifact_location).where(
                models.SqlExperiment.experiment_id == int(experiment)
            )
        )
        source = connection.scalar(
            select(models.SqlDataset.dataset_uuid).where(
                models.SqlDataset.experiment_id == int(experiment),
                models.SqlDataset.name == used.dataset.name,
                models.SqlDataset.digest == used.dataset.digest,
            )
        )
        keyed = {uuid.uuid4().hex: run for run in runs}
        rows = {
            models.SqlRun: [
                _run(key, run, int(experiment), str(place)) for key, run in keyed.items()
            ],
            **_values(keyed),
            **_inputs(keyed, source, used),
        }
        for model, several in rows.items():
            if several:
                connection.execute(insert(model.__table__), several)


Rows = dict[Any, list[dict[str, object]]]
"""The rows of each of MLflow's tables."""


def _values(keyed: Mapping[str, FinishedRun]) -> Rows:
    """Return the rows of tags, parameters and metrics."""
    tags = {key: {**run.tags, MLFLOW_RUN_NAME: run.name} for key, run in keyed.items()}
    measured = _pairs({key: run.metrics for key, run in keyed.items()})
    for row in measured:
        row |= {"timestamp": keyed[str(row["run_uuid"])].began, "step": 0, "is_nan": False}
    return {
        models.SqlTag: _pairs(tags),
        models.SqlParam: _pairs({key: run.params for key, run in keyed.items()}),
        models.SqlMetric: measured,
        models.SqlLatestMetric: measured,
    }


def _inputs(keys: Iterable[str], source: Any, used: DatasetInput) -> Rows:
    """Return the rows that make the dataset the input of each run."""
    inputs = {uuid.uuid4().hex: key for key in keys}
    return {
        models.SqlInput: [
            {
                "input_uuid": one,
                "source_type": "DATASET",
                "source_id": source,
                "destination_type": "RUN",
                "destination_id": key,
            }
            for one, key in inputs.items()
        ],
        models.SqlInputTag: [
            {"input_uuid": one, "name": tag.key, "value": tag.value}
            for one in inputs
            for tag in used.tags
        ],
    }


def _run(key: str, run: FinishedRun, experiment: int, place: str) -> dict[str, object]:
    return {
        "run_uuid": key,
        "name": run.name,
        "experiment_id": experiment,
        "artifact_uri": f"{place}/{key}/artifacts",
        "source_type": "UNKNOWN",
        "source_name": "",
        "entry_point_name": "",
        "source_version": "",
        "user_id": run.tags.get(MLFLOW_USER, "unknown"),
        "status": "FINISHED",
        "lifecycle_stage": "active",
        "start_time": run.began,
        "end_time": run.ended,
        "deleted_time": None,
    }


def _pairs(keyed: Mapping[str, Mapping[str, object]]) -> list[dict[str, object]]:
    return [
        {"run_uuid": key, "key": name, "value": value}
        for key, own in keyed.items()
        for name, value in own.items()
    ]
