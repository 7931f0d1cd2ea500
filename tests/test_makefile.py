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
LONG = {
    "make test",
    *(f"make measure JOB={job}" for job in ("bench", "calibration", "mutants", "soak")),
    "make showcase",
    "make licences",
}
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


@pytest.mark.parametrize("target", ["setup-dev", "test-all", "check", "docs", "measure"])
def test_what_tests_and_documentation_need_comes_with_them(tmp_path: Path, target: str) -> None:
    said = commands(tmp_path, target, "DEVICE=cpu")
    assert "-e '.[cpu,models]'" in said
    assert "-e '.[cpu,models,openai,docs,dev,dice,mentions,stores]'" in said


def test_the_tests_install_no_tool_of_the_documentation(tmp_path: Path) -> None:
    said = commands(tmp_path, "test", "DEVICE=cpu")
    assert "-e '.[cpu,models,openai,dev,dice,mentions,stores]'" in said
    assert "docs" not in said


@pytest.mark.parametrize(
    ("job", "said"),
    [
        ("house", "tests/house.py"),
        ("bench", "-m tests.benchmarks workers"),
        ("calibration", "harness calibrate clusters workers"),
        ("mutants", "tests/mutants.py workers"),
        ("soak", "-m tests.soak workers"),
    ],
)
def test_what_the_project_measures_of_itself_is_below_one_target(
    tmp_path: Path, job: str, said: str
) -> None:
    assert said in commands(tmp_path, "measure", f"JOB={job}", "ARGS=workers").splitlines()[-1]


def test_an_unknown_job_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as found:
        commands(tmp_path, "measure", "JOB=huose")
    (line,) = found.value.stderr.splitlines()
    assert "huose" in line
    assert "house" in line


def test_a_gpu_node_takes_the_constraints_of_its_libraries(tmp_path: Path) -> None:
    said = commands(tmp_path, "sweep", "DEVICE=gpu")
    assert "-c constraints.txt -c reports/docs/constraints-gpu.txt -e '.[gpu,models]'" in said
    assert "constraints-gpu" not in commands(tmp_path, "sweep", "DEVICE=cpu")


def make_with_pip(folder: Path, script: str, *line: str) -> subprocess.CompletedProcess[str]:
    """Run make with a Python that notes what it is asked for, then does this, in place of pip."""
    commands(folder, "setup")
    (folder / ".venv" / "bin").mkdir(parents=True)
    python = folder / ".venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\necho "$@" >> asked\n{script}\n')
    python.chmod(0o755)
    return subprocess.run(
        ["make", *line, "DEVICE=cpu"], cwd=folder, capture_output=True, text=True, check=False
    )


REFUSED = "echo ERROR: no $* >&2; exit 1"
TORCH = re.search(r"^torch==[\d.]+", (ROOT / "constraints.txt").read_text(), re.M)


@pytest.mark.parametrize(
    ("script", "from_pytorch"),
    [(":", False), (f'case "$*" in *pytorch.org*) ;; *+cpu) {REFUSED};; esac', True)],
)
def test_pytorchs_cpu_build_is_taken_from_pips_index_else_from_pytorchs(
    tmp_path: Path, script: str, from_pytorch: bool
) -> None:
    done = make_with_pip(tmp_path, script, "setup", "TORCH=cpu")
    assert done.returncode == 0
    assert "ERROR" not in done.stderr
    *attempts, rest = (tmp_path / "asked").read_text().splitlines()
    assert TORCH is not None
    assert all(f"--retries 0 --timeout 10 {TORCH[0]}+cpu" in line for line in attempts)
    assert ["pytorch.org" in line for line in attempts] == [False, True][: 1 + from_pytorch]
    assert rest.endswith("-e .[cpu,models]")


def test_cuda_is_never_installed_in_place_of_the_cpu_build(tmp_path: Path) -> None:
    """One line says what to type; what pip said is in a file."""
    done = make_with_pip(tmp_path, REFUSED, "setup", "TORCH=cpu")
    asked = (tmp_path / "asked").read_text().splitlines()
    assert len(asked) == 2
    assert all("--no-deps" in line for line in asked)
    own, of_make = done.stderr.splitlines()
    assert "TORCH=any" in own
    assert re.match(r"make(\[\d+\])?: \*\*\*", of_make)
    assert (tmp_path / ".venv" / "torch.log").read_text().count("ERROR") == 2
    assert not (tmp_path / ".venv" / ".ready").exists()
    (tmp_path / "any").mkdir()
    done = make_with_pip(tmp_path / "any", ":", "setup", "TORCH=any")
    assert (done.returncode, done.stderr) == (0, "")
    (rest,) = (tmp_path / "any" / "asked").read_text().splitlines()
    assert rest.endswith("-e .[cpu,models]")


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
    for stamp in (".ready", ".ready-test", ".ready-dev"):
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
        "setup",
        "setup-dev",
        "sweep",
        "heldout",
        "report",
        "ui",
        "test",
        "test-all",
        "check",
        "measure",
        "docs",
        "clean",
    ]
    hidden = {"showcase", "licences", "dist"}
    assert hidden <= set(
        re.findall(r"^\$ make ([\w-]+)", (ROOT / "CONTRIBUTING.md").read_text(), re.M)
    )


def test_a_second_call_installs_nothing(tmp_path: Path) -> None:
    commands(tmp_path, "sweep")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").touch()
    (tmp_path / ".venv" / ".ready").touch()
    assert "pip install" not in commands(tmp_path, "sweep")
