"""The campaigns run: a few inputs of each; their full size is `make soak`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_every_campaign_runs():
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.soak", "--scale", "0.001"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("kill", "full", "limit", "together", "fuzz", "endpoint", "warm"):
        assert f"\n{name}" in f"\n{done.stdout}"
