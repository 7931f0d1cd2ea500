"""A command typed into a process that is forked is one typed in a shell: output, status, folder,
environment.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import hydra
import pytest
from hydra.errors import HydraException
from omegaconf import OmegaConf

from harness.core.concepts import package_folder
from harness.core.configuration.composition import prepare
from tests import parsed_conf, warm


@pytest.mark.parametrize(
    "arguments", [["--version"], ["nothing"], ["compare", "run=a.csv", "baseline=b.csv"]]
)
def test_it_says_what_a_shell_shows(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("item,score\n1,1\n2,0\n")
    (tmp_path / "b.csv").write_text("item,score\n1,0\n2,0\n")
    typed = subprocess.run(
        [sys.executable, "-m", "harness", *arguments], cwd=tmp_path, capture_output=True, text=True
    )
    done = warm.harness(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (
        typed.returncode,
        typed.stdout,
        typed.stderr,
    )
    assert warm.harness(*arguments, cwd=tmp_path, joint=True).stdout == typed.stdout + typed.stderr


def test_its_environment_is_the_given_one(tmp_path: Path) -> None:
    said = warm.harness("list", cwd=tmp_path, env={**os.environ, "HARNESS_RUNS": "elsewhere"})
    assert "elsewhere" in said.stdout + said.stderr
    with pytest.raises(subprocess.CalledProcessError):
        warm.harness("nothing", check=True)


def test_what_is_imported_beforehand_is_there() -> None:
    """multiprocessing says nothing of a module that is not."""
    assert [name for name in warm.IMPORTED if importlib.util.find_spec(name) is None] == []


@pytest.mark.parametrize(
    "line",
    [
        "config dataset=sample pool.cap=3 fuser=linear fuser.alpha=0.3 +fuser.beta=0 "
        "paths.runs=elsewhere",
        "config lists.colbert=a.json ~lists.dense metrics=[ndcg@3] pool.lists=[graph,colbert]",
        "config +grid.mine={fuser:[rrf],fuser.k:[7]} grid=point lists={a:b.json} lists.b=c.json",
        "fuse fuser=rrf fuser.k=7",
        "config fuser=linear fusr=1",
    ],
)
def test_a_shared_composition_is_hydra_s(line: str) -> None:
    primary, *typed = line.split()
    given = prepare(primary, typed)
    with hydra.initialize_config_dir(str(package_folder("conf").resolve()), version_base="1.3"):
        one, other = (
            _text(compose, primary, given) for compose in (hydra.compose, parsed_conf._build)
        )
    assert one == other


def _text(compose: Callable[..., Any], primary: str, overrides: Sequence[str]) -> str:
    try:
        return OmegaConf.to_yaml(compose(primary, overrides))
    except HydraException as error:
        return str(error)
