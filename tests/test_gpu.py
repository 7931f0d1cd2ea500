"""The script that measures a GPU runs where there is none, on the CPU in its place, and its results
agree.
"""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_the_script_runs_without_a_gpu() -> None:
    line = [sys.executable, "-m", "tests.gpu", "--device", "cpu", "--quick"]
    done = subprocess.run(
        line, capture_output=True, text=True, cwd=Path(__file__).parents[1], check=False
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout
    assert "the CPU stands in for it" in said
    assert "| 40 trials, 50 queries |" in said
    assert "| 0 ranks differ |" in said
    assert "| L1 0 at most |" in said
    assert "MiniLM, float32" in said
    assert said.count("cosine 0.99") + said.count("cosine 1.00") == 2
    assert "| 0 places differ |" in said
    assert "twice on the device: the same bits" in said
