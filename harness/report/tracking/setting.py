"""Which tracker holds: the command line goes before MLflow's environment variables, those before the configuration."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from harness.core.configuration import instantiate
from harness.core.errors import HarnessError
from harness.report.tracking.pending import FOLDER

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from harness.report.tracking import Tracking

ENVIRONMENT = {
    "uri": "MLFLOW_TRACKING_URI",
    "experiment": "MLFLOW_EXPERIMENT_NAME",
    "experiment_id": "MLFLOW_EXPERIMENT_ID",
    "run_name": "MLFLOW_RUN_NAME",
}


def tracker(config: DictConfig, typed: Sequence[str]) -> Tracking:
    """The tracker of ``config.tracking``. typed: the overrides of the command line.

    An experiment's id goes before its name, unless the name is set nearer to the command line.
    """
    from omegaconf import OmegaConf

    node = cast("dict[str, object]", OmegaConf.to_container(config.tracking, resolve=True))
    set_by = {name: _source(name, typed) for name in ENVIRONMENT if name in node}
    taken = {name: os.environ[ENVIRONMENT[name]] for name, source in set_by.items() if source == ENVIRONMENT[name]}
    node |= taken
    if "experiment_id" in node and _rank("experiment", typed) < _rank("experiment_id", typed):
        node["experiment_id"] = None
    return cast("Tracking", instantiate(node))


def describe(config: DictConfig, typed: Sequence[str]) -> Iterator[str]:
    """Lines for `harness doctor`: which tracker holds, who says so, whether it answers, and what is still due."""
    tracking = tracker(config, typed)
    if not tracking.destination:
        yield "none: finished folders are not copied"
        return
    experiment = "experiment_id" if getattr(tracking, "experiment_id", None) else "experiment"
    yield f"{tracking.destination} (uri: {_source('uri', typed)}, experiment: {_source(experiment, typed)})"
    try:
        yield tracking.check()
    except HarnessError as error:
        yield f"WARNING: {error}"
    due = len(list((Path(config.paths.runs) / FOLDER).glob("*.json")))
    if due:
        yield f"{due} exports are due; `harness track` makes them"


def _rank(name: str, typed: Sequence[str]) -> int:
    """0 for a key that the command line sets, 1 for one of the environment, 2 for one of the configuration."""
    return ("command line", ENVIRONMENT[name], "configuration").index(_source(name, typed))


def _source(name: str, typed: Sequence[str]) -> str:
    if any(text.lstrip("+").partition("=")[0] == f"tracking.{name}" for text in typed):
        return "command line"
    return ENVIRONMENT[name] if os.environ.get(ENVIRONMENT[name]) else "configuration"
