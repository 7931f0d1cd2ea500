"""What a user types, from outside the checkout: the installed wheel, another working folder, files
of one's own.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZipFile

import pytest

from harness.core.identity import code_version
from tests import process
from tests.world.folder import write_benchmark

CHECKOUT = Path(__file__).parents[1]
VERSION = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["version"]
ALONE = ["dataset=folder", "dataset.path=mine", "~lists.dense", "~lists.graph", "~lists.bm25"]
SWEEP = [
    "sweep",
    *ALONE,
    "lists.colbert=colbert.json",
    "lists.kg=kg.json",
    "pool.lists=[colbert,kg]",
    "tracking=none",
]
RUN = ["run=colbert.json", "gold=mine/queries.jsonl"]
API = """
import harness

runs = harness.read_all({"colbert": "colbert.json", "kg": "kg.json"})
gold = harness.Gold.read("mine/queries.jsonl")
fused = harness.fuse(runs, "boltzmann", "pit", 20, capped=["kg"], alpha=0.7)
print(harness.__file__)
print(harness.evaluate(fused, gold, ["recall@5"])["metrics"]["recall@5"])
print(harness.compare(fused, runs["kg"], gold, "recall@5"))
sweep = harness.run_sweep(*LISTS, "grid=point", "paths.runs=notebook")
print(harness.run_heldout(sweep).heldout[0]["evaluation"])
print(sweep.folder)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package as the wheel installs it, and nothing else."""
    place = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "-q", "-w", str(place), str(CHECKOUT)]
    made = subprocess.run(pip, capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"no wheel can be built here: {made.stderr.strip().splitlines()[-1:]}")
    (wheel,) = place.glob("*.whl")
    ZipFile(wheel).extractall(place / "site")
    _take_kernels(place / "site")
    return place / "site"


def _take_kernels(site: Path) -> None:
    """Kernels that numba compiled in the checkout hold for the same source of the same time."""
    for compiled in CHECKOUT.glob("harness/**/__pycache__/*.nb[ic]"):
        source = compiled.parents[1] / f"{compiled.name.partition('.')[0]}.py"
        ours = site / source.relative_to(CHECKOUT)
        if ours.is_file() and ours.read_bytes() == source.read_bytes():
            shutil.copy(compiled, ours.parent / "__pycache__")
            os.utime(ours, (source.stat().st_atime, source.stat().st_mtime))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """60 questions over 120 passages ``wiki:N``, and two runs of other systems."""
    place, rng = tmp_path_factory.mktemp("user"), random.Random(3)
    docs = [f"wiki:{number}" for number in range(120)]
    queries = [
        {
            "id": f"question-{number}",
            "question": f"Which is {number}?",
            "answers": ["x"],
            "hops": 2,
            "type": "bridge",
            "supporting_ids": rng.sample(docs, 2),
        }
        for number in range(60)
    ]
    write_benchmark(
        place / "mine",
        [{"id": doc, "title": doc, "text": f"Text of {doc}."} for doc in docs],
        queries,
    )
    for name, share in (("colbert", 0.8), ("kg", 0.4)):
        run = {
            query["id"]: {
                doc: rng.random()
                for doc in sorted(
                    {
                        *rng.sample(docs, 12),
                        *(g for g in query["supporting_ids"] if rng.random() < share),
                    }
                )
            }
            for query in queries
        }
        (place / f"{name}.json").write_text(json.dumps(run))
    return place


def typed(site: Path, folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Python with these arguments in that folder; of this project it has the installed package
    alone.
    """
    kept: Mapping[str, str] = {
        name: os.environ[name] for name in ("HOME", "TMPDIR") if name in os.environ
    }
    environment = {**kept, "PATH": ""}
    return process.python("-P", *command, cwd=folder, env=environment, source=site)


def harness(site: Path, folder: Path, *command: str) -> str:
    """What a command that succeeds prints."""
    done = typed(site, folder, "-m", "harness", *command)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def swept(folder: Path) -> Path:
    """The folder of a sweep of the two files, as a user's first command leaves it."""
    done = process.harness(*SWEEP, "fuser=rrf", cwd=folder, check=True)
    return folder / done.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def scripted(site: Path, folder: Path) -> list[str]:
    """What a script prints; its last line is the folder of a sweep that was held out."""
    lists = [*ALONE, *SWEEP[-4:-1]]
    (folder / "script.py").write_text(API.replace("*LISTS", repr(lists)[1:-1]))
    done = typed(site, folder, "script.py")
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_wheel_and_checkout_hold_out_each_others_locks(site: Path, folder: Path) -> None:
    for first, second in ((site, CHECKOUT), (CHECKOUT, site)):
        runs = f"paths.runs=by_{first.name}"
        sweep = harness(first, folder, *SWEEP, "fuser=rrf", runs).splitlines()[-1]
        printed = harness(second, folder, "heldout", f"sweep={sweep}", "tracking=none", runs)
        assert "evaluation 1" in printed


def test_the_installed_package_is_what_runs(site: Path, folder: Path) -> None:
    """In processes that start as a user's. Its code is that of the checkout."""
    started = [sys.executable, "-P", "-m", "harness"]
    environment = {"PATH": "", "PYTHONPATH": str(site)}
    for line, said in (
        (["--version"], f"harness {VERSION} (code {code_version()})"),
        (["evaluate", *RUN, "metrics=[recall@5]"], "recall@5"),
    ):
        done = subprocess.run(
            [*started, *line], cwd=folder, env=environment, capture_output=True, text=True
        )
        assert (done.returncode, said in done.stdout) == (0, True), done


def test_files_of_two_systems_are_swept_and_a_fuser_restricts_the_grid(swept: Path) -> None:
    lock = json.loads((swept / "winner.lock.json").read_text())
    assert [row["name"] for row in lock["baselines"]] == ["colbert", "kg", "rrf k=60"]
    assert lock["reference"] == "colbert"
    assert lock["winner"]["name"].startswith(("rrf", "colbert", "kg"))
    assert {row["name"].split()[0] for row in lock["fusers"]} == {"rrf"}


def test_a_copied_sweep_is_listed_and_reported_in_another_folder(
    folder: Path, scripted: list[str], tmp_path: Path
) -> None:
    """The report says which sweep and evaluation it shows."""
    evaluated = folder / scripted[-1]
    sweep = shutil.copytree(evaluated, tmp_path / "runs" / "sweeps" / evaluated.name)
    assert evaluated.name in process.harness("list", cwd=tmp_path, check=True).stdout
    done = process.harness("report", f"sweep={sweep}", "tracking=none", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"report of {evaluated.name}, mine: test, n = " in done.stderr
    assert "evaluation 1" in done.stderr
    assert not (tmp_path / "mine").exists()
    assert "colbert" in (tmp_path / "reports" / "tables" / "main.tex").read_text().lower()


def test_what_new_writes_is_in_the_wheel(site: Path, tmp_path: Path) -> None:
    """tests/command/test_new.py runs what it wrote."""
    assert "tests/test_x.py" in harness(site, tmp_path, "new", "fuser", "x")
    assert (tmp_path / "tests" / "test_x.py").is_file()


def test_the_protocol_runs_from_a_script(site: Path, scripted: list[str]) -> None:
    place, recall, *table, evaluation, _ = scripted
    assert place.startswith(str(site))
    assert 0 < float(recall) < 1
    assert "recall@5" in "".join(table)
    assert evaluation == "1"
