"""Rooms: every concept is found without its room, by one module and no copy."""

import importlib
import subprocess
import sys

import pytest

import harness
from harness.core.concepts import PACKAGE, ROOMS, package_folder, roomless

OUTSIDE = {"display", "experiment", "grid", "hydra", "paths", "weights", "graph", "retriever"}
"""Folders of conf/ that are no concept, and the two that are rooms themselves."""


def test_every_concept_of_conf_has_a_room() -> None:
    concepts = {path.name for path in package_folder("conf").iterdir() if path.is_dir()} - OUTSIDE
    assert concepts <= set(ROOMS)


@pytest.mark.parametrize("concept", sorted(ROOMS))
def test_the_name_without_the_room_has_what_the_package_has(concept: str) -> None:
    assert (PACKAGE / ROOMS[concept] / concept / "__init__.py").is_file()
    inside = importlib.import_module(f"harness.{ROOMS[concept]}.{concept}")
    outside = importlib.import_module(f"harness.{concept}")
    assert getattr(harness, concept) is outside
    for name in (name for name in vars(inside) if not name.startswith("__")):
        assert getattr(outside, name) is getattr(inside, name)


def test_names_by_hand() -> None:
    assert roomless("harness.fusion.fuser.rrf") == "harness.fuser.rrf"
    for name in [
        "harness.retriever.dense",
        "harness.graph.entity",
        "harness.core.errors",
        "mine.fuser.rrf",
        "harness",
    ]:
        assert roomless(name) == name


def test_stable_names_hold_in_a_new_process() -> None:
    code = (
        "from harness.statistic import mcnemar; from harness.fuser import rrf;"
        "from harness.benchmark import load, md5_split; from harness.run import Run;"
        "from hydra.utils import get_class; import harness; stored = "
        "get_class('harness.fuser.rrf.Rrf');"
        "import harness.fusion.fuser.rrf as inside; print(inside.Rrf is rrf.Rrf is stored, "
        "stored.__module__,"
        "mcnemar(8, 1), harness.statistic.mcnemar(8, 1))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "harness.fusion.fuser.rrf", "0.0390625", "0.0390625"]


def test_importing_the_library_changes_no_way_to_import_and_loads_nothing_heavy() -> None:
    """``python -c`` has the working directory first in its path; a library leaves it there."""
    code = (
        "import sys; paths, finders = list(sys.path), list(sys.meta_path); import harness;"
        "print(paths == sys.path, finders == sys.meta_path, {'torch', 'pandas', 'numpy', 'yaml'} "
        "& set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "set()"]


@pytest.mark.parametrize("name", ["nothing", "__path__"])
def test_a_name_that_is_not_there_says_so(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"'harness\.fuser'.*'{name}'"):
        getattr(harness.fuser, name)


def test_no_folder_has_more_than_fourteen_entries() -> None:
    """Beside its ``__init__``; the rooms themselves are fifteen, a command is a file, and plug-ins
    come and go.
    """
    own = {"__pycache__", "__init__.py"}
    beside = {PACKAGE / name for name in ("conf", "datasets", "reports", "command")}
    plugins = {PACKAGE / "plugins"}
    folders = [
        path for path in {*PACKAGE.rglob("*")} - plugins if path.is_dir() and path.name not in own
    ]
    code = [
        path for path in folders if any(path.glob("*.py")) and not beside & {path, *path.parents}
    ]
    crowded = {str(path): len({entry.name for entry in path.iterdir()} - own) for path in code}
    assert {name: count for name, count in crowded.items() if count > 14} == {}
