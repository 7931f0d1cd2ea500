"""What each target of the Makefile would run, as `make -n` tells it in a folder without an
environment.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

MADE = {".venv", ".git", "runs", "reports/site"}
LONG = {"make test", "make bench", "make mutants", "make soak", "make showcase", "make licences"}
"""Hours, or what asks a package index: each has tests of its own."""

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def commands(folder: Path, *line: str) -> str:
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy2(ROOT / name, folder)
    outer = (
        "MAKEFLAGS",
        "MFLAGS",
        "MAKEOVERRIDES",
        "MAKELEVEL",
        "TORCH",
    )  # of `make TORCH=cpu test`
    environment = {name: value for name, value in os.environ.items() if name not in outer}
    return subprocess.run(
        ["make", "-n", *line],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    ).stdout


@pytest.mark.parametrize(
    "target", ["setup", "prepare", "sweep", "heldout", "report", "ui", "doctor"]
)
def test_the_main_job_installs_no_tool_of_developers(tmp_path: Path, target: str) -> None:
    assert "-e '.[cpu,models]'" in (said := commands(tmp_path, target, "DEVICE=cpu"))
    assert said.count("pip install") == 1


@pytest.mark.parametrize(
    "target", ["setup-dev", "test", "test-all", "check", "docs", "soak", "mutants"]
)
def test_what_tests_and_documentation_need_comes_with_them(tmp_path: Path, target: str) -> None:
    said = commands(tmp_path, target, "DEVICE=cpu")
    assert "-e '.[cpu,models]'" in said
    assert "-e '.[cpu,models,openai,docs,dev,stores]'" in said


def test_docs_say_that_they_take_a_while_and_end_with_the_address_of_the_page(
    tmp_path: Path,
) -> None:
    first, *_, last = [
        line for line in commands(tmp_path, "docs", "DEVICE=cpu").splitlines() if "echo" in line
    ][-2:]
    assert "one to three minutes" in first
    assert last == f'echo "file://{tmp_path}/reports/docs/site/index.html"'


def test_a_gpu_node_takes_the_constraints_of_its_libraries(tmp_path: Path) -> None:
    said = commands(tmp_path, "sweep", "DEVICE=gpu")
    assert "-c constraints.txt -c reports/docs/constraints-gpu.txt -e '.[gpu,models]'" in said
    assert "constraints-gpu" not in commands(tmp_path, "sweep", "DEVICE=cpu")


def test_pytorchs_cpu_build_is_taken_from_pips_index_else_from_pytorchs_which_is_asked_once(
    tmp_path: Path,
) -> None:
    """A pip that finds nothing but the rest: both are tried, the second one without a retry, then
    all goes on.
    """
    commands(tmp_path, "setup")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    pip = tmp_path / ".venv" / "bin" / "python"
    pip.write_text(
        '#!/bin/sh\necho "$@" >> asked\ncase "$*" in *+cpu*) echo "no $*" >&2; exit 1;; esac\n'
    )
    pip.chmod(0o755)
    done = subprocess.run(
        ["make", "setup", "TORCH=cpu"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    own, pytorch, rest = (tmp_path / "asked").read_text().splitlines()
    version = re.search(r"^torch==[\d.]+", (ROOT / "constraints.txt").read_text(), re.M)
    assert version is not None
    assert own.endswith(f"--no-deps --retries 0 --timeout 10 {version[0]}+cpu")
    assert pytorch.endswith(
        f"--timeout 10 --index-url https://download.pytorch.org/whl/cpu {version[0]}+cpu"
    )
    assert "index" not in rest
    assert "taking the torch of pip's index" in done.stdout
    assert len(re.findall("^no .*torch", done.stderr, re.M)) == 2  # what pip says is not swallowed


@pytest.mark.slow
def test_what_the_readme_and_the_makefile_say_does_it_in_a_copy(tmp_path: Path) -> None:
    """Each line that CONTRIBUTING types with make, but those that take hours, and those of a sweep,
    as they stand.

    In a copied checkout; its environment is this one, whose commands import the copy.
    """

    def made(folder: str, names: list[str]) -> set[str]:
        place = Path(folder).relative_to(ROOT)
        return {
            name for name in names if (place / name).as_posix() in MADE or name == "__pycache__"
        }

    copy = Path(shutil.copytree(ROOT, tmp_path / "harness", ignore=made))
    (copy / ".venv").mkdir()
    (copy / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    for stamp in (".ready", ".ready-dev"):
        (copy / ".venv" / stamp).touch()
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("HARNESS_")
    }
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    lines = [
        "make sweep",
        "make heldout",
        "make report",
        *re.findall(r"^\$ (make .*?)(?: *#.*)?$", page, re.M),
    ]
    assert {*LONG} <= {*lines}
    for line in [line for line in lines if line not in LONG]:
        done = subprocess.run(
            line,
            shell=True,
            cwd=copy,
            capture_output=True,
            text=True,
            env={**environment, "PYTHONPATH": str(copy)},
        )
        assert done.returncode == 0, f"{line}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    assert (copy / "reports" / "site" / "index.html").exists()
    assert list((copy / "runs").rglob("heldout.json"))


def test_help_lists_what_users_need(tmp_path: Path) -> None:
    commands(tmp_path, "setup")
    said = subprocess.run(
        ["make", "help"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    told = re.findall(r"^  make ([\w-]+)", said, re.M)
    assert told == [
        "help",
        "setup",
        "setup-dev",
        "prepare",
        "sweep",
        "heldout",
        "report",
        "ui",
        "test",
        "test-all",
        "check",
        "house",
        "calibration",
        "docs",
        "doctor",
        "dist",
        "clean",
    ]
    hidden = {"bench", "mutants", "soak", "showcase", "licences"}
    assert hidden <= set(
        re.findall(r"^\$ make ([\w-]+)", (ROOT / "CONTRIBUTING.md").read_text(), re.M)
    )


def test_a_second_call_installs_nothing(tmp_path: Path) -> None:
    commands(tmp_path, "sweep")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").touch()
    (tmp_path / ".venv" / ".ready").touch()
    assert "pip install" not in commands(tmp_path, "sweep")
