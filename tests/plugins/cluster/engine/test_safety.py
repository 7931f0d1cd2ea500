"""What an engine starts imports nothing from the working folder, and writes no key into a file."""

import os
import pickle
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.plugins.cluster.engine import ray, slurm
from harness.work.engine import Ended, Work

CANARY = "sk-canary-0123456789"


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Work:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    monkeypatch.setenv("HF_TOKEN", CANARY)
    monkeypatch.setenv("HARNESS_RUNS", "runs")
    monkeypatch.chdir(tmp_path)
    return Work.here(["dataset=sample", "engine=ray", "part=1/2"])


def test_what_a_worker_is_given(work: Work, tmp_path: Path) -> None:
    assert work.overrides == ("dataset=sample",)
    assert work.folder == str(tmp_path)
    assert work.environment["OPENAI_API_KEY"] == CANARY


def test_ray_is_joined_from_no_folder_of_ours(
    work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ray puts the folder that a driver is in at the head of its workers' path of modules."""
    seen: dict[str, Any] = {}
    task = SimpleNamespace(
        options=lambda **given: task, remote=lambda given, index, of, gpus: Ended(index, 0, "")
    )
    fake = SimpleNamespace(
        is_initialized=lambda: False,
        init=lambda **given: seen.update(folder=os.getcwd(), **given),
        remote=lambda **given: lambda function: task,
        get=lambda reference: reference,
        nodes=lambda: [{"Alive": True, "Resources": {"CPU": 2.0}}],
        shutdown=lambda: None,
    )
    monkeypatch.setitem(sys.modules, "ray", fake)  # type: ignore[arg-type]
    ray.Ray(address="here").run(work)
    assert (seen["folder"], seen["address"]) == (os.sep, "here")
    assert os.getcwd() == str(tmp_path)


def test_a_task_of_slurm(work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is started by ``python -P``; what submitit pickles into its folder has no key."""
    seen: dict[str, Any] = {}

    class Executor:
        def __init__(self, folder: str, python: str, **given: Any) -> None:
            seen["python"] = python

        def update_parameters(self, **given: Any) -> None:
            seen.update(given)

        def map_array(self, task: slurm.Task, indices: list[int]) -> list[Any]:
            seen["pickled"] = pickle.dumps(task)
            return []

    monkeypatch.setitem(sys.modules, "submitit", SimpleNamespace(SlurmExecutor=Executor))  # type: ignore[arg-type]
    monkeypatch.setattr(slurm.shutil, "which", lambda name: name)
    slurm.Slurm(workers=2, logs=str(tmp_path)).run(work)
    assert seen["python"].split() == [sys.executable, "-P"]
    assert CANARY.encode() not in seen["pickled"]
    assert pickle.loads(seen["pickled"]).work.environment["HARNESS_RUNS"] == "runs"
