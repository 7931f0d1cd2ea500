"""`harness prepare` by one process, by shares, by engines: the same bytes."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.command.prepare import run
from harness.core.configuration.composition import compose
from harness.core.errors import HarnessError
from tests import process as shell
from tests.world.generate import write

LINE = ["prepare", "dataset=folder", "encoder=hashed", "tracking=none"]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("data") / "world", 2600)


def start(world: Path, runs: Path, *more: str, under: Sequence[str] = ()) -> subprocess.Popen[str]:
    own = [one.partition("=")[0] for one in more]
    usual = [one for one in LINE if one.partition("=")[0] not in own]
    line = [
        *under,
        sys.executable,
        "-m",
        "harness",
        *usual,
        f"dataset.path={world}",
        f"paths.runs={runs}",
        *more,
    ]
    return subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=world
    )


def typed(world: Path, runs: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return shell.harness(*LINE, f"dataset.path={world}", f"paths.runs={runs}", *more, cwd=world)


def finish(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=500)
    assert process.returncode == 0, err
    return out


def content(runs: Path) -> dict[str, bytes]:
    """Every file of the artifacts but the manifests, which hold seconds."""
    found = (
        path
        for path in (runs / "artifacts").rglob("*")
        if path.is_file() and path.parent.parent.name != "artifacts"
    )
    return {
        str(path.relative_to(runs)): path.read_bytes()
        for path in found
        if path.name not in ("manifest.json",) and path.suffix != ".lock"
    }


@pytest.fixture(scope="module")
def alone(world: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    runs = tmp_path_factory.mktemp("alone")
    assert typed(world, runs, "extractor.model=null").returncode == 0
    return content(runs)


def test_shares_one_after_the_other_and_what_is_left(
    world: Path, tmp_path: Path, alone: dict[str, bytes]
) -> None:
    said = typed(world, tmp_path, "extractor.model=null", "part=1/2").stdout
    assert (
        "part 1/2: its share is done; encode passage: 1 of 3 parts are missing; they belong to "
        "other shares" in said
    )
    told = typed(world, tmp_path, "status=true").stdout
    assert "encode passage: [####################          ] 2 of 3 parts" in told
    assert typed(world, tmp_path, "extractor.model=null").returncode == 0
    assert content(tmp_path) == alone
    assert "no stage is being computed in parts" in typed(world, tmp_path, "status=true").stdout


def test_a_share_that_is_none_is_one_line(world: Path, tmp_path: Path) -> None:
    done = typed(world, tmp_path, "part=5/4")
    assert done.stderr == "error: part=5/4: expected i/n with 1 <= i <= n, e.g. part=3/20\n"
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["wait=maybe"], "wait=maybe: expected true or false"),
        (["status=3"], "status=3: expected true or false"),
        (["wait=true"], "wait=true belongs to a share; add part=i/n"),
        (["dry_run=true"], "dry_run=true is for `harness sweep`"),
    ],
)
def test_what_would_be_passed_over_is_refused(given: list[str], said: str) -> None:
    with pytest.raises(HarnessError, match=re.escape(said)):
        run(compose("prepare", given))


def test_an_engine_beside_a_share_is_refused(world: Path, tmp_path: Path) -> None:
    done = typed(world, tmp_path, "part=1/2", "engine=local", "engine.workers=2")
    assert "part=1/2 is done by this process, so engine=local has no effect" in done.stderr
    assert done.returncode == 2


@pytest.mark.slow
def test_four_processes_one_of_which_is_killed(world: Path, tmp_path: Path) -> None:
    finish(start(world, tmp_path / "alone"))
    started = [
        start(world, tmp_path / "four", f"part={index}/4", "wait=true") for index in range(1, 5)
    ]
    wait_for(tmp_path / "four")
    os.kill(started[0].pid, signal.SIGKILL)
    for process in started[1:]:
        finish(process)
    assert content(tmp_path / "four") == content(tmp_path / "alone")


@pytest.mark.slow
def test_processes_of_this_machine(world: Path, tmp_path: Path, alone: dict[str, bytes]) -> None:
    finish(start(world, tmp_path, "extractor.model=null", "engine=local", "engine.workers=2"))
    assert content(tmp_path) == alone


@pytest.mark.slow
def test_two_drivers_at_once(world: Path, tmp_path: Path, alone: dict[str, bytes]) -> None:
    line = ["extractor.model=null", "engine=local", "engine.workers=2"]
    for driver in [start(world, tmp_path, *line) for _ in range(2)]:
        finish(driver)
    assert content(tmp_path) == alone


@pytest.mark.slow
def test_a_driver_that_is_killed_and_started_again(
    world: Path, tmp_path: Path, alone: dict[str, bytes]
) -> None:
    """Its workers go on; the second driver's share the parts with them."""
    line = ["extractor.model=null", "engine=local", "engine.workers=2"]
    killed = start(world, tmp_path, *line)
    wait_for(tmp_path)
    killed.kill()
    killed.wait()
    finish(start(world, tmp_path, *line))
    assert content(tmp_path) == alone


def wait_for(runs: Path, pattern: str = "*/*.partial/**/*.held.json") -> Path:
    """The first such file below the artifacts."""
    deadline = time.monotonic() + 200
    while time.monotonic() < deadline:
        if found := list(runs.glob(f"artifacts/{pattern}")):
            return found[0]
        time.sleep(0.02)
    raise AssertionError(f"no {pattern} within 200 s")


@pytest.mark.slow
def test_a_full_disk_on_one_machine(world: Path, tmp_path: Path, alone: dict[str, bytes]) -> None:
    """Its worker ends with one line; no part counts as failed, and the other worker does all."""
    line = ["extractor.model=null", "wait=true"]
    full = start(world, tmp_path, *line, "part=1/2", under=["prlimit", "--fsize=300000"])
    said = full.communicate(timeout=300)[1]
    assert full.returncode == 2
    assert "cannot write (File too large)" in said
    finish(start(world, tmp_path, *line, "part=2/2"))
    assert content(tmp_path) == alone
