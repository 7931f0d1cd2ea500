"""`harness prepare` by Ray and by Slurm: the same bytes as by one process."""

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.command.test_prepare import alone, content, finish, start, wait_for, world
from tests.plugins.cluster.slurm_here import slurm

__all__ = ["alone", "world"]


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A Ray cluster of three nodes of one processor each."""
    pytest.importorskip("ray", reason="the extra `ray` is not installed")
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    yield made
    made.shutdown()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("encoder", "pattern"),
    [
        ("minilm", "encode/*.partial/parts/*.held.json"),
        ("hashed", "extract/*.partial/parts/entities*.held.json"),
    ],
)
def test_a_ray_cluster_that_loses_a_node(
    world: Path, tmp_path: Path, cluster: Any, encoder: str, pattern: str
) -> None:
    """In the middle of encoding, or of extraction: its task goes to another node, its parts to
    whoever is there.
    """
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    models = [f"encoder={encoder}"]
    finish(start(world, tmp_path / "alone", *models))
    engine = ["engine=ray", "engine.workers=3", f"engine.address={cluster.address}"]
    driver = start(world, tmp_path / "ray", *models, *engine)
    wait_for(tmp_path / "ray", pattern)
    cluster.remove_node(nodes[0], allow_graceful=False)
    finish(driver)
    assert content(tmp_path / "ray") == content(tmp_path / "alone")


@pytest.mark.slow
def test_a_gpu_that_no_node_of_ray_has(world: Path, tmp_path: Path, cluster: Any) -> None:
    """Ray would wait for ever. A node that says it has one where torch finds none is told by its
    worker.
    """
    engine = [
        "extractor.model=null",
        "engine=ray",
        "engine.gpus=1",
        f"engine.address={cluster.address}",
    ]
    driver = start(world, tmp_path, *engine)
    assert "no node of the cluster has so many" in driver.communicate(timeout=300)[1]
    assert driver.returncode == 2
    cluster.add_node(num_cpus=1, num_gpus=1)
    cluster.wait_for_nodes()
    driver = start(world, tmp_path, *engine, "engine.workers=1")
    assert re.search(
        r"error: engine=ray: worker 1 failed: engine.gpus=1: on \S+ torch \S+ finds 0 GPUs",
        driver.communicate(timeout=300)[1],
    )
    assert driver.returncode == 2


@pytest.fixture
def slurm_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A Slurm of one node of two processors, to which this process's environment leads."""
    with slurm(tmp_path / "slurm", 2) as environment:
        for name in ("SLURM_CONF", "PATH"):
            monkeypatch.setenv(name, environment[name])
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("slurm_commands")
def test_a_task_of_slurm_over_its_time_limit_is_queued_again(
    world: Path, tmp_path: Path, alone: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its worker is stopped, so that it never ends by itself; the second try does all. A key is in
    no file.
    """
    pytest.importorskip("submitit", reason="the extra `slurm` is not installed")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789")
    line = [
        "extractor.model=null",
        "engine=slurm",
        "engine.workers=1",
        "engine.cpus=1",
        "engine.minutes=3",
    ]
    driver = start(world, tmp_path / "slurm_runs", *line)
    holder = json.loads(wait_for(tmp_path / "slurm_runs").read_text())
    os.kill(holder["pid"], signal.SIGSTOP)
    finish(driver)
    assert content(tmp_path / "slurm_runs") == alone
    logs = list((tmp_path / "slurm_runs" / "slurm").iterdir())
    assert any("timed-out" in path.read_text() for path in logs if path.suffix == ".err")
    assert not [path for path in logs if b"sk-canary" in path.read_bytes()]


@pytest.mark.slow
@pytest.mark.usefixtures("slurm_commands")
def test_an_array_job_of_slurm_one_of_whose_tasks_is_cancelled(world: Path, tmp_path: Path) -> None:
    pytest.importorskip("submitit", reason="the extra `slurm` is not installed")
    finish(start(world, tmp_path / "alone"))
    engine = ["engine=slurm", "engine.workers=2", "engine.cpus=1"]
    driver = start(world, tmp_path / "slurm_runs", *engine)
    wait_for(tmp_path / "slurm_runs", "*/*.partial/**/entities*.held.json")
    subprocess.run(["scancel", "1_0"], check=True)
    err = driver.communicate(timeout=500)[1]
    assert re.search(
        "engine=slurm: worker 1 failed: (ended by signal 15|job 1_0 was cancelled or lost)",
        err.splitlines()[-1],
    )
    assert driver.returncode == 2
    finish(
        start(world, tmp_path / "slurm_runs", *engine)
    )  # all is there: the second array only reads
    assert content(tmp_path / "slurm_runs") == content(tmp_path / "alone")


def test_an_engine_that_is_not_there_is_one_line(world: Path, tmp_path: Path) -> None:
    if shutil.which("sbatch"):
        pytest.skip("Slurm is here")
    process = start(world, tmp_path, "engine=slurm")
    assert "engine=slurm" in process.communicate(timeout=100)[1].splitlines()[-1]
    assert process.returncode == 2
