"""Rooms: every concept is found without its room, by one module and no copy."""

import importlib
import subprocess
import sys

import pytest

import harness
from harness.core.configuration.rooms import PACKAGE, ROOMS, located, package_folder, roomless

OUTSIDE = {"display", "experiment", "grid", "hydra", "paths", "weights", "graph", "retriever"}
"""Folders of conf/ that are no concept, and the two that are rooms themselves."""


def test_every_concept_of_conf_has_a_room() -> None:
    concepts = {path.name for path in package_folder("conf").iterdir() if path.is_dir()} - OUTSIDE
    assert concepts <= set(ROOMS)


@pytest.mark.parametrize("concept", sorted(ROOMS))
def test_the_name_without_the_room_is_the_same_module(concept: str) -> None:
    assert (PACKAGE / ROOMS[concept] / concept / "__init__.py").is_file()
    inside = importlib.import_module(f"harness.{ROOMS[concept]}.{concept}")
    assert importlib.import_module(f"harness.{concept}") is inside
    assert getattr(harness, concept) is inside


def test_names_by_hand() -> None:
    assert located("harness.fuser.rrf") == "harness.fusion.fuser.rrf"
    assert roomless("harness.fusion.fuser.rrf") == "harness.fuser.rrf"
    for name in ("harness.retriever.dense", "harness.graph.entity", "harness.core.errors", "mine.fuser.rrf", "harness"):
        assert located(name) == roomless(name) == name


def test_stable_imports_hold_in_a_new_process() -> None:
    code = (
        "from harness.statistic import mcnemar; from harness.fuser.rrf import Rrf;"
        "from harness.benchmark import load, md5_split; from harness.run import Run;"
        "import harness.fusion.fuser.rrf as inside; print(inside.Rrf is Rrf, Rrf.__module__, mcnemar(8, 1))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "harness.fusion.fuser.rrf", "0.0390625"]


def test_a_module_that_is_not_there_says_so() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"harness\.fusion\.fuser\.nothing"):
        importlib.import_module("harness.fuser.nothing")


def test_no_folder_has_more_than_fourteen_entries() -> None:
    """Beside its ``__init__``; the rooms themselves are fifteen, and a command is a file."""
    own = {"__pycache__", "__init__.py", "__init__.pyi"}
    beside = {PACKAGE / name for name in ("conf", "datasets", "reports", "command")}
    folders = [path for path in PACKAGE.rglob("*") if path.is_dir() and path.name not in own]
    code = [path for path in folders if any(path.glob("*.py")) and not beside & {path, *path.parents}]
    crowded = {str(path): len({entry.name for entry in path.iterdir()} - own) for path in code}
    assert {name: count for name, count in crowded.items() if count > 14} == {}
