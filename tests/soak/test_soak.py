"""The campaigns run: a few inputs of each; their full size is `make measure JOB=soak`."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from harness.core.errors import HarnessError
from tests.soak.fuzz import changed
from tests.soak.readers import Reader, lists

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_every_campaign_runs():
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.soak", "--scale", "0.001"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("kill", "full", "limit", "together", "fuzz", "endpoint", "warm"):
        assert f"\n{name}" in f"\n{done.stdout}"


@pytest.mark.parametrize("count", [10, pytest.param(400, marks=pytest.mark.slow)])
def test_files_that_people_bring_are_read_or_refused_in_one_line(
    count: int, tmp_path: Path, bench: Path
) -> None:
    rng = random.Random(count)
    for name, (path, read) in lists(tmp_path, bench).items():
        whole = path.read_bytes()
        for number in range(count):
            path.write_bytes(changed(whole, path, rng))
            assert "\n" not in _refusal(read), (name, number)


def _refusal(read: Reader) -> str:
    try:
        read()
    except HarnessError as error:
        return str(error)
    return ""
