"""What each target of the Makefile would run, as `make -n` tells it in a folder without an environment."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def commands(folder: Path, *line: str) -> str:
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy2(ROOT / name, folder)
    return subprocess.run(["make", "-n", *line], cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("target", ["setup", "prepare", "sweep", "heldout", "report", "ui", "doctor"])
def test_the_main_job_installs_no_tool_of_developers(tmp_path: Path, target: str) -> None:
    assert "-e '.[cpu,models]'" in (said := commands(tmp_path, target, "FAISS=cpu"))
    assert said.count("pip install") == 1


@pytest.mark.parametrize("target", ["setup-dev", "test", "test-all", "check", "docs", "soak", "mutants"])
def test_what_tests_and_documentation_need_comes_with_them(tmp_path: Path, target: str) -> None:
    said = commands(tmp_path, target, "FAISS=cpu")
    assert "-e '.[cpu,models]'" in said
    assert "-e '.[cpu,models,openai,docs,dev,stores]'" in said


def test_a_gpu_takes_its_faiss(tmp_path: Path) -> None:
    assert "-e '.[gpu,models]'" in commands(tmp_path, "sweep", "FAISS=gpu")


def test_pytorchs_cpu_build_is_offered_and_taken(tmp_path: Path) -> None:
    index = "--extra-index-url https://download.pytorch.org/whl/cpu"
    assert index not in commands(tmp_path, "sweep", "FAISS=cpu")
    assert index in commands(tmp_path, "sweep", "FAISS=cpu", "TORCH=cpu")


def test_a_second_call_installs_nothing(tmp_path: Path) -> None:
    commands(tmp_path, "sweep")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").touch()
    (tmp_path / ".venv" / ".ready").touch()
    assert "pip install" not in commands(tmp_path, "sweep")
