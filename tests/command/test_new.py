"""What `harness new` writes passes its test at once, in a package and in a checkout, is found, and
can fail.
"""

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness.core.concepts import PACKAGE, package_folder
from tests import process
from tests.conftest import Command
from tests.lines import cases

CONCEPTS = sorted(path.name for path in (package_folder("reports/templates") / "new").iterdir())


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return process.python(
        *arguments, cwd=folder, env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package with one strategy of each concept."""
    folder = tmp_path_factory.mktemp("own")
    for concept in CONCEPTS:
        done = process.harness("new", concept, f"my_{concept}", "package=my_lists", cwd=folder)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[:3] == [
            f"my_lists/my_{concept}.py",
            f"my_lists/conf/{concept}/my_{concept}.yaml",
            f"tests/test_my_{concept}.py",
        ]
    return folder


def test_all_that_it_writes_passes_its_test_at_once(folder: Path) -> None:
    here = ("-k", "not other_processes")  # tests/fusion/fuser holds that for every fuser
    done = python(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", *here, "tests")
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout


@pytest.mark.slow
def test_it_is_found_once_it_is_installed(folder: Path, tmp_path: Path) -> None:
    pip = [
        "install",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--target",
        tmp_path,
        folder,
    ]
    subprocess.run([sys.executable, "-m", "pip", *pip], check=True, capture_output=True)
    sweep = (
        "sweep",
        "dry_run=true",
        "+grid.mine={fuser:[my_fuser],fuser.lift:[1,2],normalizer:[my_normalizer]}",
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = process.harness(
        *sweep, "encoder=my_encoder", "dataset=my_dataset", cwd=tmp_path, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert "fuser=my_fuser" in done.stdout
    assert "fuser.lift (2)" in done.stdout
    assert "lists of my_dataset: 2 passages" in done.stdout


@pytest.mark.slow
def test_a_fuser_that_breaks_the_contract_fails(folder: Path) -> None:
    module = folder / "my_lists" / "my_fuser.py"
    written = module.read_text()
    broken = written.replace(
        "best = torch.stack([scored.values for scored in pool.lists]).amax(dim=0)",
        "best = pool.lists[0].values.float()",
    )
    assert broken != written
    module.write_text(broken)
    broken_parts = "order_in_which_lists or new_tensor or by_hand"
    done = python(
        folder,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "tests/test_my_fuser.py",
        "-k",
        broken_parts,
    )
    module.write_text(written)
    assert done.returncode == 1
    assert (
        "FAILED tests/test_my_fuser.py::TestMyFuser::test_the_order_in_which_lists_are_given"
        in done.stdout
    )
    assert (
        "FAILED tests/test_my_fuser.py::TestMyFuser::test_the_result_is_a_new_tensor_of_float64"
        in done.stdout
    )
    assert "FAILED tests/test_my_fuser.py::test_one_number_worked_by_hand" in done.stdout


@pytest.mark.parametrize(
    ("concept", "line", "broken", "said"),
    [
        (
            "fuser",
            "best = torch",
            "1 / 0; best = torch",
            "ZeroDivisionError: division by zero (FILE:32); correct that",
        ),
        (
            "fuser",
            "reads:",
            "read:",
            "fuser: MyFuser lacks reads; `harness new fuser NAME` writes a class that has",
        ),
        (
            "normalizer",
            "return positive /",
            "return 9 * positive /",
            "MyNormalizer gave 4.5, expected values in [0, 1]",
        ),
        (
            "normalizer",
            "return positive /",
            "return positive[:, 1:] /",
            "expected a value a document, float64 of (1, 1)",
        ),
        (
            "temperature",
            "self.scale *",
            "-1 - self.scale *",
            "MyTemperature gave -1.0, expected temperatures of at least 0",
        ),
        (
            "temperature",
            "self.scale *",
            "values[-1] *",
            "(1, 2), expected a temperature a query, float64 of (1, 1)",
        ),
    ],
)
def test_a_mistake_in_a_strategy_is_one_line_of_the_command(
    folder: Path, tmp_path: Path, concept: str, line: str, broken: str, said: str
) -> None:
    """Values outside of what a class declares, a negative temperature, and a column too many were
    fused in silence.
    """
    shutil.copytree(folder / "my_lists", tmp_path / "my_lists")
    module = tmp_path / "my_lists" / f"my_{concept}.py"
    written = module.read_text()
    module.write_text(written.replace(line, broken, 1))
    assert module.read_text() != written
    (tmp_path / "a.json").write_text('{"q": {"a": 1, "b": 1}}')
    (tmp_path / "b.json").write_text('{"q": {"b": 1}}')
    own = {"fuser": "boltzmann", "normalizer": "pit", concept: f"my_{concept}"}
    typed = (
        "fuse",
        "lists={a: b.json, b: a.json}",
        *(f"{key}={name}" for key, name in own.items()),
        "out=f.trec",
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = process.harness(*typed, "--config-dir=my_lists/conf", cwd=tmp_path, env=environment)
    assert (done.returncode, said.replace("FILE", str(module)) in done.stderr) == (2, True), (
        done.stderr
    )
    assert "Traceback" not in done.stderr


def test_where_nothing_can_be_written_is_one_line(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_harness").write_text("no folder")
    status, _, said = command("new", "fuser", "mine")
    assert (status, said.count("\n")) == (2, 1)
    assert "my_harness/mine.py: cannot write (File exists)" in said


@pytest.mark.parametrize(
    ("typed_words", "message"),
    cases(
        """
fuser lambda -> name=lambda: is a word of Python or YAML; give another, e.g. name=my_lambda
fuser null -> name=null: is a word of Python or YAML
fuser mine package=class -> package=class: is a word of Python or YAML
fuser mine package=torch -> package=torch: is installed here under that name
fuser mine package=harness -> package=harness: is installed here under that name
"""
    ),
)
def test_names_that_cannot_work(
    command: Command, tmp_path: Path, monkeypatch, typed_words: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    status, _, said = command("new", *typed_words)
    assert (status, message in said, said.count("\n")) == (2, True, 1), said
    assert not list(tmp_path.iterdir())


def test_a_file_in_the_way(command: Command, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tests").write_text("no folder")
    status, _, said = command("new", "fuser", "mine")
    assert (status, "tests/test_mine.py: cannot write" in said) == (2, True), said
    (tmp_path / "tests").unlink()
    assert command("new", "fuser", "mine")[0] == 0  # nothing of the first attempt is there


def test_nothing_is_written_over(folder: Path) -> None:
    done = process.harness("new", "fuser", "my_fuser", cwd=folder)
    assert done.returncode == 2
    assert (
        "my_lists/my_fuser.py, my_lists/conf/fuser/my_fuser.yaml, tests/test_my_fuser.py: "
        "already there" in done.stderr
    )


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this checkout, with what Python and numba have compiled there."""
    copied = tmp_path_factory.mktemp("checkout") / "harness"
    made = shutil.ignore_patterns(".*", "runs", "showcase", "*.egg-info")
    return Path(shutil.copytree(PACKAGE.parent, copied, ignore=made))


def typed(folder: Path, source: Path, line: str) -> subprocess.CompletedProcess[str]:
    """What a line does in a shell where no environment is active; its `harness` is that of this
    source.
    """
    words = shlex.split(line)
    environment = {
        **os.environ,
        "HARNESS_RUNS": str(folder / "runs"),
        "PATH": "/usr/local/bin:/usr/bin:/bin",
    }
    if words[0] == "PYTHONPATH=.":
        environment["PYTHONPATH"] = "."
        del words[0]
    program = Path(words.pop(0))
    assert program.parent in (Path(), Path(sys.executable).parent), (
        line
    )  # what is not there is not on PATH
    if program.name == "harness" and source == PACKAGE.parent:
        return process.harness(*words, cwd=folder, env=environment)
    if program.name == "harness":
        words[:0] = ["-P", "-m", "harness"]
    return process.python(*words, cwd=folder, env=environment, source=source)


LINE = "harness new fuser greatest"
"""What CONTRIBUTING tells to type."""


@pytest.mark.parametrize("place", ["checkout", "empty"])
def test_the_first_line_of_extend_it_and_the_lines_that_it_prints(
    place: str, checkout: Path, tmp_path: Path
) -> None:
    assert LINE in (PACKAGE.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    folder, source = (checkout, checkout) if place == "checkout" else (tmp_path, PACKAGE.parent)
    done = typed(folder, source, LINE)
    assert done.returncode == 0, done.stderr
    test, sweep = done.stderr.splitlines()[-2:]
    tested = typed(
        folder, source, f"{test} -k by_hand"
    )  # the contract takes longer, and is tested above
    assert tested.returncode == 0, tested.stdout
    swept = typed(folder, source, f"{sweep} dry_run=true")
    assert swept.returncode == 0, swept.stderr
    assert "fuser=greatest" in swept.stdout


ALL = """
import sys
from harness.__main__ import main
for concept in sys.argv[1:]:
    main(["new", concept, "mine"])
"""


def test_in_a_checkout_files_go_where_others_of_their_concept_are(checkout: Path) -> None:
    folders = {path for path in checkout.rglob("*") if path.is_dir()}
    done = process.python("-P", "-c", ALL, *CONCEPTS, cwd=checkout, source=checkout)
    assert done.returncode == 0, done.stderr
    written = [checkout / line for line in done.stdout.splitlines()]
    assert len(written) == 3 * len(CONCEPTS)
    assert {path.parent for path in written} <= folders


@pytest.mark.slow
def test_a_plugin_is_a_folder_with_a_command_and_its_test(checkout: Path, tmp_path: Path) -> None:
    done = typed(checkout, checkout, "harness new plugin census")
    assert done.returncode == 0, done.stderr
    test, line, _ = done.stderr.splitlines()
    tested = typed(checkout, checkout, test)
    assert tested.returncode == 0, tested.stdout
    assert typed(tmp_path, checkout, f"{line} word=two times=2").stdout == "two two\n"
    assert "\n  census " in typed(tmp_path, checkout, "harness --help").stdout
    assert "census already exists" in typed(checkout, checkout, "harness new plugin census").stderr
    assert (
        "concept=plugin: is for a checkout"
        in typed(tmp_path, checkout, "harness new plugin other").stderr
    )


def test_in_a_checkout_a_package_is_refused(checkout: Path) -> None:
    done = typed(checkout, checkout, "harness new fuser other package=mine")
    assert (done.returncode, "in a checkout files go into the tree" in done.stderr) == (2, True)


def test_a_name_that_is_there_and_a_second_package_are_said(
    command: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.chdir(tmp_path)
    caplog.set_level("INFO")
    status, _, said = command("new", "fuser", "rrf")
    assert (status, list(tmp_path.iterdir())) == (2, [])
    assert "fuser=rrf already exists" in said
    assert not command("new", "fuser", "greatest")[0]
    assert not command("new", "retriever", "shared_words", "package=my_fusion")[0]
    assert "pyproject.toml names my_harness: add my_fusion to its packages" in caplog.text


@pytest.mark.parametrize("there", [True, False])
def test_the_first_line_to_type_adds_what_tests_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    """After `make sweep`, pytest and hypothesis are not installed."""
    find = importlib.util.find_spec
    lacking = () if there else ("hypothesis", "pytest")
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *of: None if name in lacking else find(name, *of)
    )
    done = process.harness("new", "fuser", "mine", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    *before, test, swept = done.stderr.splitlines()
    assert test.endswith("-m pytest tests/test_mine.py")
    assert "harness sweep fuser=mine" in swept
    assert [line.endswith("[testing]'") for line in before] == ([] if there else [True])
