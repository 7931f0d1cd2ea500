"""Many MLflow runs in one transaction.

``start_run`` with ``log_params`` and ``log_metrics`` takes some ten transactions a run, 22 ms of them on SQLite. Here
the rows of MLflow's own tables (``mlflow.store.tracking.dbmodels``) are inserted together, in a session of MLflow's own
store, as its ``create_run``, ``log_batch`` and ``log_inputs`` would write them.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from mlflow.store.tracking.dbmodels.models import (
    SqlDataset,
    SqlInput,
    SqlInputTag,
    SqlLatestMetric,
    SqlMetric,
    SqlParam,
    SqlRun,
    SqlTag,
)
from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore
from mlflow.utils.mlflow_tags import (
    MLFLOW_DATASET_CONTEXT,
    MLFLOW_PARENT_RUN_ID,
    MLFLOW_RUN_NAME,
    MLFLOW_RUN_NOTE,
    MLFLOW_SOURCE_NAME,
    MLFLOW_SOURCE_TYPE,
)
from sqlalchemy import insert, select, update

from harness.tracking.entry import Entry, Group

GROUP, CONTENT = "harness.group", "harness.content"
COMPARED = 150  # runs that a link in a tag of 8,000 characters has room for


def write(store: SqlAlchemyStore, experiment: Any, group: Group, began: int, ended: int) -> bool:
    """Log a group as finished runs; false when the same content is there already (it is brought back from the trash).

    Runs of the group's name that say something else go to MLflow's trash. began, ended: milliseconds since the epoch.
    """
    parent = group.entries[0]
    tag = SqlTag.__table__.c
    runs = SqlRun.__table__
    named = select(tag.run_uuid).where(tag.key == GROUP, tag.value == group.name)
    same = select(tag.run_uuid).where(tag.key == CONTENT, tag.value == group.content)
    number = int(experiment.experiment_id)
    stale = (runs.c.experiment_id == number, runs.c.run_uuid.in_(named), runs.c.run_uuid.not_in(same))
    with store.ManagedSessionMaker(read_only=False) as session:
        session.execute(
            update(runs)
            .where(*stale, runs.c.lifecycle_stage == "active")
            .values(lifecycle_stage="deleted", deleted_time=ended)
        )
        if session.execute(select(runs.c.run_uuid).where(runs.c.run_uuid == parent.id)).first():
            session.execute(
                update(runs).where(runs.c.run_uuid.in_(same)).values(lifecycle_stage="active", deleted_time=None)
            )
            return False
        dataset = _dataset(session, number, group)
        for table, rows in _rows(group, experiment, dataset, began, ended).items():
            session.execute(insert(table), rows)
    return True


def _dataset(session: Any, experiment: int, group: Group) -> str:
    """The id of the group's dataset in this experiment; it is written when it is not there."""
    table = SqlDataset.__table__
    sha256 = group.data_sha256[:12]
    wanted = (table.c.experiment_id == experiment, table.c.name == group.dataset, table.c.digest == sha256)
    found = session.execute(select(table.c.dataset_uuid).where(*wanted)).scalar()
    if found:
        return str(found)
    made = uuid.uuid4().hex
    source = {"tags": {MLFLOW_SOURCE_NAME: f"harness prepare dataset={group.dataset}", "sha256": group.data_sha256}}
    row = {
        "dataset_uuid": made,
        "experiment_id": experiment,
        "name": group.dataset,
        "digest": sha256,
        "dataset_source_type": "code",
        "dataset_source": json.dumps(source),
    }
    session.execute(insert(table), [row])
    return made


def _rows(group: Group, experiment: Any, dataset: str, began: int, ended: int) -> dict[Any, list[dict[str, Any]]]:
    """Rows by table, in an order that satisfies the foreign keys.

    Runs begin a millisecond after one another, last first: MLflow lists the newest first, in the leaderboard's order.
    """
    entries = group.entries
    measured = [
        {"run_uuid": entry.id, "key": key, "value": value, "timestamp": ended, "step": 0, "is_nan": False}
        for entry in entries
        for key, value in entry.metrics.items()
    ]
    inputs = {entry.id: uuid.uuid4().hex for entry in entries}
    return {
        SqlRun.__table__: [_run(entry, experiment, began - place, ended) for place, entry in enumerate(entries)],
        SqlTag.__table__: _pairs((entry.id, _tags(entry, group, experiment)) for entry in entries),
        SqlParam.__table__: _pairs((entry.id, entry.params) for entry in entries),
        SqlMetric.__table__: measured,
        SqlLatestMetric.__table__: measured,
        SqlInput.__table__: [
            {
                "input_uuid": number,
                "source_type": "DATASET",
                "source_id": dataset,
                "destination_type": "RUN",
                "destination_id": run,
                "step": 0,
            }
            for run, number in inputs.items()
        ],
        SqlInputTag.__table__: [
            {"input_uuid": number, "name": MLFLOW_DATASET_CONTEXT, "value": group.split} for number in inputs.values()
        ],
    }


def _run(entry: Entry, experiment: Any, began: int, ended: int) -> dict[str, Any]:
    return {
        "run_uuid": entry.id,
        "name": entry.name,
        "artifact_uri": f"{experiment.artifact_location}/{entry.id}/artifacts",
        "experiment_id": int(experiment.experiment_id),
        "source_type": "UNKNOWN",
        "source_name": "",
        "entry_point_name": "",
        "source_version": "",
        "user_id": "harness",
        "status": "FINISHED",
        "start_time": began,
        "end_time": ended,
        "lifecycle_stage": "active",
    }


def _tags(entry: Entry, group: Group, experiment: Any) -> dict[str, str]:
    tags = {
        MLFLOW_RUN_NAME: entry.name,
        MLFLOW_SOURCE_NAME: "harness",
        MLFLOW_SOURCE_TYPE: "LOCAL",
        GROUP: group.name,
        CONTENT: group.content,
        **entry.tags,
    }
    if entry is group.entries[0]:
        tags[MLFLOW_RUN_NOTE] = _note(group, experiment)
    return {**tags, MLFLOW_PARENT_RUN_ID: entry.parent} if entry.parent else tags


def _note(group: Group, experiment: Any) -> str:
    """The description of a group's parent: a link to MLflow's page that compares the best trials."""
    best = group.entries[1 : COMPARED + 1]
    runs = ",".join(f"%22{entry.id}%22" for entry in best)
    link = f"#/compare-runs?runs=[{runs}]&experiments=[%22{experiment.experiment_id}%22]"
    winner = group.entries[0].tags.get("winner") or "none"
    return f"Winner: **{winner}**\n\n[Compare the best {len(best)} trials (parallel coordinates)]({link})"


def _pairs(items: Iterable[tuple[str, Mapping[str, str]]]) -> list[dict[str, str]]:
    return [{"run_uuid": run, "key": key, "value": value} for run, pairs in items for key, value in pairs.items()]
