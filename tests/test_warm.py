"""A command typed into a process that is forked is one typed in a shell: output, status, folder, environment."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import warm


@pytest.mark.parametrize("arguments", [["--version"], ["nothing"], ["compare", "run=a.csv", "baseline=b.csv"]])
def test_it_says_what_a_shell_shows(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("item,score\n1,1\n2,0\n")
    (tmp_path / "b.csv").write_text("item,score\n1,0\n2,0\n")
    typed = subprocess.run([sys.executable, "-m", "harness", *arguments], cwd=tmp_path, capture_output=True, text=True)
    done = warm.harness(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (typed.returncode, typed.stdout, typed.stderr)
    assert warm.harness(*arguments, cwd=tmp_path, joint=True).stdout == typed.stdout + typed.stderr


def test_its_environment_is_the_given_one(tmp_path: Path) -> None:
    said = warm.harness("list", cwd=tmp_path, env={**os.environ, "HARNESS_RUNS": "elsewhere"})
    assert "elsewhere" in said.stdout + said.stderr
    with pytest.raises(subprocess.CalledProcessError):
        warm.harness("nothing", check=True)


def test_what_is_imported_beforehand_is_there() -> None:
    """multiprocessing says nothing of a module that is not."""
    assert [name for name in warm.IMPORTED if importlib.util.find_spec(name) is None] == []
