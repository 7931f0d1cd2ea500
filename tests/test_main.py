"""The command line: help, mistakes in one line, exit codes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from harness.__main__ import commands, documentation, manual, perform, usage
from harness.command import note_typed
from harness.core.configuration.command_line import CommandLine
from harness.core.table import fold
from tests import process


def test_help_names_every_command_with_its_summary():
    text = subprocess.run(
        [sys.executable, "-m", "harness", "--help"], capture_output=True, text=True
    ).stdout
    assert text == usage() + "\n"
    for name in commands():
        assert f"\n  {name} " in text
    titles = [line.partition(",")[0] for line in text.splitlines() if line.endswith("`:")]
    assert (
        titles == ["Start here", "Your own runs", "Look around", "More", "Plug-ins"][: len(titles)]
    )
    assert text.index("\n  sweep ") < text.index("\n  compare ") < text.index("\n  doctor ")


@pytest.mark.parametrize("name", commands())
def test_every_command_teaches(name, command):
    text = documentation(name)
    summary, _, rest = text.partition("\n\n")
    assert summary.endswith(".")
    assert f"harness {name}" in rest
    printed = command(name, "--help")[1]
    assert printed == manual(name) + "\n"
    assert printed.startswith(fold(text))
    assert max(map(len, printed.partition("Keys and their defaults:")[2].splitlines())) <= 80


def test_all_bad_points_are_told_at_once(tmp_path, command):
    _, _, said = command(
        "sweep", "+grid.a={fuser:[linear],fuser.alpha:[2,3]}", f"paths.runs={tmp_path}"
    )
    assert all(told in said for told in ("2 mistakes", "alpha=2", "alpha=3"))


def test_flags_mean_overrides():
    given = ["--split", "tune", "--k=5", "--dry-run", "x=1", "--multirun"]
    line = CommandLine.read("sweep", given)
    assert line.flags == ("--multirun",)
    assert line.overrides == ("split=tune", "k=5", "dry_run=true", "x=1")
    assert line.is_several
    assert line.is_for_hydra


def test_a_multirun_writes_below_the_runs_alone(tmp_path, overrides):
    given = ["-m", "pool.cap=5,10", "dry_run=true", "grid=point", *overrides]
    done = process.harness("sweep", *given, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("5 trials; nothing was run") == 2
    assert {path.name for path in tmp_path.iterdir()} <= {"runs"}


def test_no_control_character_reaches_the_terminal(tmp_path):
    """Neither in what is printed nor in an error; the names are those of a file and of a query."""
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"id": "q", "supporting_ids": ["a"], "hops": 2, "type": "\\u001b[2Jbridge"}\n')
    run = tmp_path / "\x1b]0;owned\x07.json"
    run.write_text('{"q": {"a": 1}}')
    done = process.harness(
        "evaluate", f"run='{run}'", f"gold={gold}", "metrics=last_hop", "explain=true"
    )
    assert done.returncode == 0
    assert "type [2Jbridge" in done.stdout
    assert not {"\x1b", "\x07"} & {*done.stdout, *done.stderr}
    failed = process.harness("evaluate", f"run='{tmp_path}/\x1b[2J.json'", f"gold={gold}")
    assert failed.returncode == 2
    assert "\x1b" not in failed.stderr


def test_no_module_is_imported_from_the_working_directory(tmp_path):
    """A downloaded folder may hold files of any name; `python -m` puts it first on the path."""
    for name in [
        "mlflow",
        "numpy",
        "yaml",
        "hydra",
        "omegaconf",
        "filelock",
        "torch",
        "sqlalchemy",
        "requests",
        "ast",
    ]:
        (tmp_path / f"{name}.py").write_text(
            "raise SystemExit('code of the working directory ran')"
        )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, "-m", "harness", "doctor", f"paths.runs={tmp_path}"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "ledger     intact" in done.stdout


STARTS = """
import subprocess, sys
import harness.command.list
from harness.__main__ import main
line = [sys.executable, "-c", "import colorsys; print(colorsys.__file__)"]
harness.command.list.run = lambda config: print(subprocess.run(line, capture_output=True, text=True))
main(["list"])
"""


def test_what_a_command_starts_imports_nothing_from_the_working_directory_either(tmp_path):
    """Hydra's launchers and libraries start Python in ways of their own."""
    (tmp_path / "colorsys.py").write_text("raise SystemExit('code of the working directory ran')")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-P", "-c", STARTS],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert "returncode=0" in done.stdout, done


@pytest.mark.parametrize("asked", ["plugins", "searchpath", "defaults-tree"])
def test_hydras_info_is_printed_once(command, asked):
    status, printed, said = command("sweep", "--info", asked)
    lines = (printed + said).splitlines()
    assert status == 0
    assert lines
    assert len([line for line in lines if line == lines[0]]) == 1


def test_a_sweep_returns_its_objective_to_hydras_sweepers(tmp_path, overrides):
    from harness.command.sweep import run
    from harness.core.configuration.composition import compose

    typed = [*overrides, "grid=point"]
    score = perform(run, compose("sweep", typed), typed)
    note_typed([])
    (trials,) = tmp_path.glob("runs/sweeps/*/trials.parquet")
    import pandas as pd

    table = pd.read_parquet(trials)
    assert score in set(table["last_hop@5"])


@pytest.mark.parametrize(
    ("lines", "slow"),
    [
        (
            [
                ["evaluate", "run=graph.trec", "gold=gold.jsonl"],
                ["compare", "run=graph.trec", "baseline=vectors.trec", "gold=gold.jsonl"],
            ],
            {"pandas", "torch"},
        ),
        ([["fuse", "lists={graph: graph.trec, dense: vectors.trec}", "out=OUT"]], {"pandas"}),
    ],
)
def test_two_files_are_read_without_what_takes_longer_to_import(
    lines: list[list[str]], slow: set[str], tmp_path: Path
) -> None:
    code = (
        "import sys; from harness.__main__ import main\n"
        f"for line in {lines}: main([word.replace('OUT', sys.argv[1]) for word in line])\n"
        f"print(*{slow} & {{*sys.modules}}, 'none')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "fused.trec")],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[1] / "reports/docs/examples",
    )
    assert done.stdout.splitlines()[-1] == "none"


def test_the_security_page_names_commands_and_keys_that_exist():
    rows = [line.split("|") for line in Path("SECURITY.md").read_text().splitlines()]
    named = [part for row in rows if len(row) > 4 for part in re.findall("`([^`]+)`", row[2])]
    assert len(named) > 8
    for one in named:
        name, _, key = one.partition(" ")
        if "=" in name:
            continue
        assert name in commands(), one
        assert not key or f" {key}" in manual(name), one
