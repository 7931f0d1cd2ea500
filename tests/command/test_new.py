"""What `harness new` writes passes its test at once, outside the tree, is found once installed, and can fail."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.command.new import _in_the_tree
from harness.core.rooms import PACKAGE, package_folder

CONCEPTS = sorted(path.name for path in (package_folder("reports/templates") / "new").iterdir())


def python(folder: Path, *arguments: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    places = [str(place) for place in (path, PACKAGE.parent) if place]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(places)}
    return subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package with one strategy of each concept."""
    folder = tmp_path_factory.mktemp("own")
    for concept in CONCEPTS:
        done = python(folder, "-m", "harness", "new", concept, f"my_{concept}", "package=my_lists")
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[:3] == [
            f"my_lists/my_{concept}.py", f"my_lists/conf/{concept}/my_{concept}.yaml", f"tests/test_my_{concept}.py",
        ]  # fmt: skip
    return folder


def test_all_that_it_writes_passes_its_test_at_once(folder: Path) -> None:
    done = python(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout


def test_it_is_found_once_it_is_installed(folder: Path, tmp_path: Path) -> None:
    pip = ("-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--no-index", "--target", str(tmp_path))
    assert python(folder, *pip, str(folder)).returncode == 0
    sweep = ("sweep", "dry_run=true", "+grid.mine={fuser:[my_fuser],fuser.lift:[1,2],normalizer:[my_normalizer]}")
    done = python(tmp_path, "-m", "harness", *sweep, "encoder=my_encoder", "dataset=my_dataset", path=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "fuser=my_fuser" in done.stdout
    assert "fuser.lift (2)" in done.stdout
    assert "lists of my_dataset: 2 passages" in done.stdout


def test_a_fuser_that_breaks_the_contract_fails(folder: Path) -> None:
    module = folder / "my_lists" / "my_fuser.py"
    written = module.read_text()
    broken = written.replace("best = torch.stack([scored.values for scored in pool.lists]).amax(dim=0)",
                             "best = pool.lists[0].values.float()")  # fmt: skip
    assert broken != written
    module.write_text(broken)
    done = python(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_my_fuser.py")
    module.write_text(written)
    assert done.returncode == 1
    assert "FAILED tests/test_my_fuser.py::TestMyFuser::test_the_order_in_which_lists_are_given" in done.stdout
    assert "FAILED tests/test_my_fuser.py::TestMyFuser::test_the_result_is_a_new_tensor_of_float64" in done.stdout
    assert "FAILED tests/test_my_fuser.py::test_one_number_worked_by_hand" in done.stdout


def test_nothing_is_written_over(folder: Path) -> None:
    done = python(folder, "-m", "harness", "new", "fuser", "my_fuser")
    assert done.returncode == 2
    assert (
        "my_lists/my_fuser.py, my_lists/conf/fuser/my_fuser.yaml, tests/test_my_fuser.py: already there" in done.stderr
    )


@pytest.mark.parametrize("concept", CONCEPTS)
def test_in_the_tree_files_go_where_others_of_their_concept_are(concept: str) -> None:
    places, marks = _in_the_tree(concept, "mine")
    assert all((PACKAGE.parent / place).parent.is_dir() for place in places)
    assert marks["MODULE"] == places[0].removesuffix(".py").replace("/", ".")
