"""The commands that are interrupted: what there is before each, what a user does afterwards, what
must be the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.core.errors import HarnessError
from harness.sweep.heldout.ledger import Ledger
from tests.soak.work import benchmark, do_heldout, do_prepare, do_report, do_sweep, do_track

STABLE = (
    "trials.parquet",
    "queries.parquet",
    "ranks.npy",
    "scores.parquet",
    "config.yaml",
    "winner.lock.json",
    "heldout.json",
    "heldout_ranks.npy",
    "heldout_queries.parquet",
)
LATEX = """#!/bin/sh
for argument in "$@"; do
    case $argument in -outdir=*) echo %PDF >"${argument#-outdir=}/report.pdf" ;; esac
done
"""
Command = Callable[[Path, Path], None]
Contents = Mapping[str, Any]


@dataclass(frozen=True)
class Step:
    """run: the command.    finish: what a user types after it broke.    contents: what must be as
    without the break.
    """

    run: Command
    finish: Command
    contents: Callable[[Path], Contents]


def _hold_out(data: Path, runs: Path) -> None:
    """Sweep again and hold out: finished where it was broken off, refused where it was not."""
    do_sweep(data, runs)
    if not any(runs.glob("sweeps/*/heldout.json")):
        return do_heldout(data, runs)
    try:
        do_heldout(data, runs)
    except HarnessError as error:
        if "evaluated already" not in str(error):
            raise
    else:
        raise AssertionError("a second evaluation was not refused")


def swept(runs: Path) -> Contents:
    """The stable files of all sweeps, how many evaluations there were, and what was left over."""
    found = {
        str(path.relative_to(runs)): path.read_bytes()
        for path in runs.glob("sweeps/*/*")
        if path.name in STABLE
    }
    found["ledger"] = len(Ledger(runs / "ledger.jsonl").entries())
    return {**found, "left": sorted(str(path) for path in (runs / "sweeps").rglob("*.partial"))}


def reported(runs: Path) -> Contents:
    """The bytes of a report."""
    return {
        str(path.relative_to(runs)): path.read_bytes()
        for path in (runs / "reports").rglob("*")
        if path.is_file()
    }


def prepared(runs: Path) -> Contents:
    """The data files of all artifacts, without their manifests, which hold times."""
    return {
        str(path.relative_to(runs)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (runs / "artifacts").rglob("*")
        if path.is_file() and path.name != "manifest.json" and path.suffix != ".lock"
    }


def tracked(runs: Path) -> Contents:
    """What MLflow holds, without its own ids and times."""
    from mlflow.entities import ViewType
    from mlflow.tracking import MlflowClient

    client, found = MlflowClient(f"sqlite:///{runs}/mlflow.db"), {}
    ids = [experiment.experiment_id for experiment in client.search_experiments()]
    for run in client.search_runs(ids, run_view_type=ViewType.ACTIVE_ONLY, max_results=1000):
        tags = {key: value for key, value in run.data.tags.items() if not key.startswith("mlflow.")}
        artifacts = sorted(each.path for each in client.list_artifacts(run.info.run_id))
        name = f"{run.info.run_name} {tags.get('split')} {tags.get('harness.entry')}"
        assert name not in found, f"{name} twice"
        found[name] = [run.info.status, run.data.params, run.data.metrics, tags, artifacts]
    return found


STEPS = {
    "prepare": Step(do_prepare, do_prepare, prepared),
    "sweep": Step(do_sweep, _hold_out, swept),
    "heldout": Step(do_heldout, _hold_out, swept),
    "report": Step(do_report, do_report, reported),
    "track": Step(do_track, do_track, tracked),
}


@dataclass(frozen=True)
class Reference:
    """data: the benchmark.    runs: where commands write.    bases: what ``runs`` holds before each
    step.

    wanted: what it holds after it.
    """

    data: Path
    runs: Path
    bases: Mapping[str, Path]
    wanted: Mapping[str, Contents]

    @contextlib.contextmanager
    def before(self, step: str) -> Iterator[None]:
        """A block in which ``runs`` is as before a step."""
        shutil.rmtree(self.runs, ignore_errors=True)
        shutil.copytree(self.bases[step], self.runs)
        _forget_databases()
        try:
            yield
        finally:
            shutil.rmtree(self.runs, ignore_errors=True)


def reference(folder: Path, names: tuple[str, ...] = tuple(STEPS)) -> Reference:
    """Every step once, in this process: so its forks have everything loaded, and find nothing to
    import.
    """
    _latex(folder / "bin")
    data, runs = benchmark(folder / "data"), folder / "runs"
    bases: dict[str, Path] = {}
    wanted: dict[str, Contents] = {}
    runs.mkdir()
    for name in names:
        bases[name] = folder / f"before-{name}"
        if name == "track":
            _database(runs)
        shutil.copytree(runs, bases[name])
        with contextlib.redirect_stdout(io.StringIO()):
            STEPS[name].run(data, runs)
        if name == "prepare":
            wanted[name] = STEPS[name].contents(runs)
            shutil.rmtree(runs)
            runs.mkdir()
    for name in [name for name in names if name != "prepare"]:
        wanted[name] = STEPS[name].contents(runs)
    if "sweep" in wanted:
        wanted["sweep"] = wanted["heldout"]
    return Reference(data, runs, bases, wanted)


def _database(runs: Path) -> None:
    """MLflow's empty database, whose making takes it seconds."""
    from mlflow.tracking import MlflowClient

    MlflowClient(f"sqlite:///{runs}/mlflow.db").search_experiments()


def _forget_databases() -> None:
    """Close MLflow's connections: kept for the life of a process, they would lead to a database
    that was replaced.
    """
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore
    from mlflow.tracking._tracking_service.utils import _tracking_store_registry

    for engine in SqlAlchemyStore._engine_map.values():
        engine.dispose()
    SqlAlchemyStore._engine_map.clear()
    _tracking_store_registry._get_store_with_resolved_uri.cache_clear()


def _latex(folder: Path) -> None:
    """A LaTeX that takes no time: its work is not ours, what is done with its PDF is."""
    folder.mkdir()
    (folder / "latexmk").write_text(LATEX)
    (folder / "latexmk").chmod(0o755)
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
