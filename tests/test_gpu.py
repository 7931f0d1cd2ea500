"""The script that measures a GPU runs where there is none, on the CPU in its place, and its results agree."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_the_script_runs_without_a_gpu() -> None:
    line = [sys.executable, "-m", "tests.gpu", "--device", "cpu", "--quick"]
    done = subprocess.run(line, capture_output=True, text=True, cwd=Path(__file__).parents[1], check=False)
    assert done.returncode == 0, done.stderr
    said = done.stdout
    assert "the CPU stands in for it" in said
    assert "| 40 trials, 50 queries |" in said
    assert "| 0 ranks differ |" in said
    assert "| L1 0 at most |" in said
    assert "cosine 1.000000 at least" in said
    assert "search: skipped, it lacks faiss with GPUs" in said
