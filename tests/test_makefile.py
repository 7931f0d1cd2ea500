"""What each target of the Makefile would run, as `make -n` tells it in a folder without an environment."""

import re
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


def test_pytorchs_cpu_build_is_taken_from_pips_index_else_from_pytorchs_which_is_asked_once(tmp_path: Path) -> None:
    """A pip that finds nothing but the rest: both are tried, the second one without a retry, then all goes on."""
    commands(tmp_path, "setup")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    pip = tmp_path / ".venv" / "bin" / "python"
    pip.write_text('#!/bin/sh\necho "$@" >> asked\ncase "$*" in *+cpu*) exit 1;; esac\n')
    pip.chmod(0o755)
    done = subprocess.run(["make", "setup", "TORCH=cpu"], cwd=tmp_path, capture_output=True, text=True, check=True)
    own, pytorch, rest = (tmp_path / "asked").read_text().splitlines()
    version = re.search(r"^torch==[\d.]+", (ROOT / "constraints.txt").read_text(), re.M)
    assert version is not None
    assert own.endswith(f"--no-deps --retries 0 --timeout 10 {version[0]}+cpu")
    assert pytorch.endswith(f"--timeout 10 --index-url https://download.pytorch.org/whl/cpu {version[0]}+cpu")
    assert "index" not in rest
    assert "taking the torch of pip's index" in done.stdout


def test_help_lists_what_users_need(tmp_path: Path) -> None:
    commands(tmp_path, "setup")
    said = subprocess.run(["make", "help"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    told = re.findall(r"^  make ([\w-]+)", said, re.M)
    assert told == ["help", "setup", "setup-dev", "prepare", "sweep", "heldout", "report", "ui", "test", "test-all",
                    "check", "docs", "doctor", "clean"]  # fmt: skip
    hidden = {"bench", "mutants", "soak", "showcase", "licences"}
    assert hidden <= set(re.findall(r"^\$ make ([\w-]+)", (ROOT / "CONTRIBUTING.md").read_text(), re.M))


def test_a_second_call_installs_nothing(tmp_path: Path) -> None:
    commands(tmp_path, "sweep")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").touch()
    (tmp_path / ".venv" / ".ready").touch()
    assert "pip install" not in commands(tmp_path, "sweep")
