"""A package outside this tree: found by its entry point, --config-dir and `search`."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.core.configuration import extensions
from harness.core.configuration.composition import compose
from harness.core.configuration.conf_files import names, strategy
from harness.core.configuration.stored_strategy import StoredReader
from harness.core.errors import HarnessError
from tests import process

PYPROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "lifted"
version = "0.1"
entry-points."multihop_harness.conf".lifted = "lifted.conf"

[tool.setuptools]
packages = ["lifted"]
package-data = {lifted = ["conf/*/*.yaml"]}
"""
MODULE = """
from dataclasses import dataclass
from typing import ClassVar

import torch


@dataclass(frozen=True)
class Lifted:
    reads: ClassVar[frozenset[str]] = frozenset({"values"})
    unit: ClassVar[bool] = False
    lift: float = 2.0

    def __call__(self, pool):
        best = torch.stack([scored.values for scored in pool.lists]).amax(dim=0)
        return torch.where(pool.consensus > 0, self.lift * best, best)
"""
CONFIGURATION = "_target_: lifted.Lifted\nlift: 2.0\n"
GRID = (
    "mine:\n  fuser: [lifted]\n  fuser.lift: [1, 2]\n  normalizer: [pit]\n  pool.lists: [[dense, "
    "graph]]\n"
)


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    """What was found on the paths of a test is looked up again by the next one."""
    yield
    sys.modules.pop("lifted", None)
    process.forget()


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    for concept, text in (("fuser", CONFIGURATION), ("grid", GRID)):
        (folder / "lifted" / "conf" / concept).mkdir(parents=True)
        (folder / "lifted" / "conf" / concept / "lifted.yaml").write_text(text)
    (folder / "lifted" / "__init__.py").write_text(MODULE)
    (folder / "pyproject.toml").write_text(PYPROJECT)
    return folder


@pytest.fixture(scope="module")
def installed(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip installed that package, and nothing else."""
    site = tmp_path_factory.mktemp("site")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
    ]
    subprocess.run([*pip, "--target", str(site), str(sources)], check=True, capture_output=True)
    return site


@pytest.fixture
def harness(tmp_path: Path) -> Callable[..., str]:
    def run(path: Path, *arguments: str, status: int = 0) -> str:
        environment = {**os.environ, "PYTHONPATH": str(path)}
        done = process.harness(*arguments, cwd=tmp_path, env=environment)
        assert done.returncode == status, done.stderr
        return done.stdout if status == 0 else done.stderr

    return run


SWEEP = ("sweep", "dry_run=true", "grid=lifted")
TRIALS = "fuser=lifted, normalizer=pit, fuser.lift (2)"
"""Two trials of the fuser, as a dry run shows them."""


def test_an_installed_package_is_found_by_its_entry_point(
    harness: Callable[..., str], installed: Path
) -> None:
    shown = harness(installed, *SWEEP)
    assert TRIALS in shown
    assert "did you mean lifted?" in harness(installed, "sweep", "fuser=liftd", status=2)


def test_a_folder_is_found_when_the_command_names_it(
    harness: Callable[..., str], sources: Path
) -> None:
    assert TRIALS in harness(sources, *SWEEP, f"--config-dir={sources / 'lifted' / 'conf'}")


def test_it_is_fused_and_written(
    harness: Callable[..., str], installed: Path, tmp_path: Path
) -> None:
    """Percentile ranks: dense a 1, b 1/2; graph c 1, a 1/2; both hold a, so it is lifted to 2."""
    for name, lines in (("dense", ("a 1 0.9", "b 2 0.5")), ("graph", ("c 1 0.03", "a 2 0.01"))):
        (tmp_path / f"{name}.trec").write_text("".join(f"q Q0 {line} {name}\n" for line in lines))
    harness(
        installed,
        "fuse",
        "lists={dense: dense.trec, graph: graph.trec}",
        "fuser=lifted",
        "out=fused.trec",
    )
    assert [line.split()[2:5] for line in (tmp_path / "fused.trec").read_text().splitlines()] == [
        ["a", "1", "2"],
        ["c", "2", "1"],
        ["b", "3", "0.5"],
    ]


def test_search_adds_a_folder_in_python(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extensions, "SEARCHED", [])
    monkeypatch.syspath_prepend(sources)
    extensions.search(sources / "lifted" / "conf")
    assert "lifted" in names("fuser")
    assert strategy("fuser", "lifted", lift=3).lift == 3
    assert compose(overrides=["fuser=lifted"]).fuser.lift == 2


def test_a_name_that_we_have_already_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extensions, "SEARCHED", [])
    (tmp_path / "fuser").mkdir()
    (tmp_path / "fuser" / "rrf.yaml").write_text("_target_: mine.Rrf\n")
    extensions.search(tmp_path)
    with pytest.raises(HarnessError, match=r"rrf\.yaml: fuser=rrf.*conf/fuser/rrf\.yaml"):
        names("fuser")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """``tree("mine", code)``: a plug-in in a folder that stands in for harness/plugins."""
    import harness.plugins

    monkeypatch.setattr(extensions, "PLUGINS", tmp_path)
    monkeypatch.setattr(harness.plugins, "__path__", [str(tmp_path)])
    process.forget()

    def make(name: str, code: str) -> None:
        (tmp_path / name / "conf" / "fuser").mkdir(parents=True)
        (tmp_path / name / "conf" / "fuser" / f"of_{name}.yaml").write_text("_target_: nowhere.X\n")
        (tmp_path / name / "command").mkdir()
        (tmp_path / name / "command" / f"do_{name}.py").write_text('"""Do."""\n')
        (tmp_path / name / "__init__.py").write_text(code)

    yield make
    for name in [name for name in sys.modules if name.startswith("harness.plugins.made_")]:
        del sys.modules[name]


def test_a_folder_of_plugins_is_one_because_it_is_there(tree: Callable[..., None]) -> None:
    tree("made_a", "")
    assert "of_made_a" in names("fuser")
    assert extensions.commands()["do_made_a"] == "harness.plugins.made_a.command.do_made_a"


def test_one_that_cannot_be_imported_warns_in_one_line_and_takes_along_what_needs_it(
    tree: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    tree("made_b", "raise RuntimeError('no\\nluck')")
    tree("made_c", "NEEDS = ('made_b',)")
    tree("made_d", "")
    found = names("fuser")
    assert "of_made_d" in found
    assert not {"of_made_b", "of_made_c"} & {*found}
    assert caplog.messages == [
        "plug-in made_b is left out: RuntimeError: no",
        "plug-in made_c is left out: it needs the plug-in made_b",
    ]


def test_a_plugin_that_is_missing_is_named(tree: Callable[..., None], tmp_path: Path) -> None:
    (tmp_path / extensions.BROUGHT).write_text('{"gone": ["fuser/fine", "fine"]}')
    with pytest.raises(HarnessError, match=r"^fuser=fine"):
        strategy("fuser", "fine")
    with pytest.raises(HarnessError, match=r"^fuser=fine"):
        compose(overrides=["fuser=fine"])
    with pytest.raises(HarnessError, match=r"a\.yaml: fuser\.strategy.*'fuser/fine'"):
        StoredReader(Path("a.yaml")).read({"fuser": {"strategy": "fuser/fine"}})
