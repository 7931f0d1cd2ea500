"""What tests of several parts share: lists to fuse, what comes out of fusing them, a benchmark of a
few passages.
"""

import gc
import importlib
import json
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import hypothesis
import pytest

from harness.benchmark import Benchmark
from harness.core.configuration.composition import compose
from harness.core.configuration.extensions import missing_plugin, plugins
from harness.core.identity import digest
from harness.run import Run
from harness.sweep.folder.files import hashes
from harness.sweep.folder.result import SweepResult
from harness.sweep.trial.plan import Plan
from harness.sweep.trial.prepared import Prepared
from harness.sweep.tune import sweep
from harness.testing import lists
from harness.work.store import Store
from tests import composing, process
from tests.world.few import Passages, few
from tests.world.folder import write_benchmark

Lists = dict[str, dict[str, float]]

hypothesis.settings.register_profile(
    "untimed", deadline=None
)  # a first example may compile a kernel
hypothesis.settings.load_profile("untimed")


TOGETHER = (
    ("tests/plugins/site/",),
    ("tests/report/tracking/", "tests/command/test_ui.py", "tests/test_one_description.py"),
    (
        "tests/model/encoder/",
        "tests/fusion/reranker/",
        "tests/plugins/llm/reranker/",
        "tests/command/test_sweep.py",
    ),
)
"""Folders and files that share what takes long to make or to import: those of a row go to one
worker.
"""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """``--dist loadfile``, but for the rows of TOGETHER."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return next(
                (row[0] for row in TOGETHER if nodeid.startswith(row)), super()._split_scope(nodeid)
            )

    return Scheduling(config, log)


LONG = ("test_docs.py", "test_installed.py", "test_new.py", "test_sweep.py", "test_mlflow.py")
"""Files that take longest."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files go first (``--no-loadscope-reorder``): begun last, one would keep a worker
    alone at work.
    """
    items.sort(key=lambda item: LONG.index(item.path.name) if item.path.name in LONG else len(LONG))


def pytest_configure(config: pytest.Config) -> None:
    """Garbage is searched for as rarely as in a command (``harness.__main__``): a tenth of what
    importing takes. Workers share a folder, which the process that starts them deletes.
    """
    if process.SHARED not in os.environ:
        os.environ[process.SHARED] = tempfile.mkdtemp(prefix="shared-")
        config.add_cleanup(lambda: shutil.rmtree(os.environ.pop(process.SHARED)))
    gc.set_threshold(100_000, 20, 100)
    composing.remember()


def pytest_collection_finish() -> None:
    """No search for garbage goes through what is imported by now; statsmodels' Holm makes one at
    each call.
    """
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """``@pytest.mark.plugin("dice")``: a test that needs a folder of harness/plugins, skipped
    without it.

    So is a case whose parameters are a command line that needs one.
    """
    for mark in item.iter_markers("plugin"):
        if mark.args[0] not in plugins():
            pytest.skip(f"harness/plugins/{mark.args[0]} is not there")
    chosen = getattr(item, "callspec", None)
    parameters = chosen.params.values() if chosen else ()
    for value in parameters:
        words = (
            value.split()
            if isinstance(value, str)
            else value
            if isinstance(value, (list, tuple))
            else ()
        )
        for place, word in enumerate(map(str, words)):
            concept, _, name = word.lstrip("+").partition("=")
            what = f"{concept.partition('@')[0]}/{name}" if name else word if place == 0 else ""
            if what and (lacking := missing_plugin(what)):
                pytest.skip(f"{word} {lacking}")


OF_A_COMMAND = ("PYTHONSAFEPATH", "HYDRA_FULL_ERROR")
OF_A_TERMINAL = ("COLUMNS",)


def forget_environment() -> None:
    """Variables that MLflow sets, those that a command sets for what it starts, and the width of
    the terminal.
    """
    for name in [
        name
        for name in os.environ
        if name.startswith("MLFLOW_") or name in (*OF_A_COMMAND, *OF_A_TERMINAL)
    ]:
        del os.environ[name]


@pytest.fixture(scope="session", autouse=True)
def no_environment_of_the_machine() -> None:
    """The machine's own MLFLOW_* variables decide nothing here, nor in a fixture that several tests
    share.

    Nor does the width of a terminal, which the library readline tells processes that are started.
    """
    forget_environment()
    for name in ("COLUMNS", "LINES"):
        os.environ.pop(name, None)
        os.unsetenv(name)  # set below Python's own copy of the environment


@pytest.fixture(autouse=True)
def own_environment() -> Iterator[None]:
    """What a test sets ends with it; MLflow's set_tracking_uri and set_experiment set variables,
    and so does `main`.
    """
    yield
    if "mlflow" in sys.modules:
        sys.modules["mlflow"].set_tracking_uri(None)
    forget_environment()


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of figures are empty and LaTeX is not there: for a test of neither, which would take
    most of its time.
    """
    process.undrawn(monkeypatch.setattr)


Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """``command("evaluate", "run=...")``: the command line in this process; its exit status, what
    it printed, stderr.

    Warnings are with ``caplog``.
    """
    for name in OF_A_COMMAND:
        monkeypatch.setenv(name, "1")

    def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        return process.run(arguments), *capsys.readouterr()

    return run


@pytest.fixture
def two_lists() -> Lists:
    """Percentile ranks: dense a 1, b 1/2; graph c 1, a 1/2."""
    return {"dense": {"a": 0.9, "b": 0.5}, "graph": {"c": 0.03, "a": 0.01}}


@pytest.fixture
def scores() -> Callable[..., dict[str, float]]:
    """``scores(fuser, lists, normalizer, **options)``: fused score by document, best first, of one
    query.
    """
    return lists.fused_scores


@pytest.fixture
def random_runs() -> Callable[..., dict[str, Run]]:
    """``random_runs(seed, ties)``: three lists of uneven lengths over 40 queries, every seventh one
    empty.
    """
    return lists.random_runs


@pytest.fixture(scope="session")
def trained() -> Callable[..., Any]:
    """``trained(concept, name, **fields)``: the strategy; one that learns has learned from random
    judged lists.
    """
    return lists.trained


@pytest.fixture(scope="session")
def example() -> ModuleType:
    """tests/report/example.py: ``example.write(folder)`` makes the folder of a small sweep worked
    by hand.
    """
    return importlib.import_module("tests.report.example")


@pytest.fixture(scope="session")
def titled() -> Callable[[Passages, Sequence[str]], Benchmark]:
    """``titled({title: text}, questions)``: ids d000, d001, ... and q0, q1, ...; no gold."""

    def make(passages: Passages, questions: Sequence[str]) -> Benchmark:
        return few(passages, questions, [f"d{n:03}" for n in range(len(passages))])

    return make


DOCS = [f"d{number:02d}" for number in range(60)]


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of prepared files (40 queries over 60 documents, two lists with planted gold) and
    its TREC files.
    """
    folder = tmp_path_factory.mktemp("bench") / "tiny"
    rng = random.Random(7)
    corpus = [{"id": doc, "title": f"Title {doc}", "text": f"Text of {doc}."} for doc in DOCS]
    queries, lists = [], {"dense": [], "graph": [], "bm25": []}
    for number in range(40):
        gold = rng.sample(DOCS, 2)
        queries.append(
            {
                "id": f"q{number}",
                "question": f"Question {number}?",
                "answers": ["x"],
                "supporting_ids": gold,
                "hops": 2 + number % 3,
                "type": ["bridge", "comparison"][number % 2],
            }
        )
        for name, depth, luck in (("dense", 10, 0.4), ("graph", 40, 0.6), ("bm25", 10, 0.3)):
            ranked = rng.sample(DOCS, depth)
            for doc in gold:
                if rng.random() < luck and doc not in ranked[:5]:
                    ranked = [other for other in ranked if other != doc]
                    ranked.insert(rng.randrange(6), doc)
            for rank, doc in enumerate(ranked[:depth], start=1):
                lists[name].append(
                    f"q{number} Q0 {doc} {rank} {1 / (rank + rng.random() / 2)!r} {name}"
                )
    write_benchmark(folder, corpus, queries)
    for name, lines in lists.items():
        (folder / f"{name}.trec").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture
def overrides(bench: Path, tmp_path: Path) -> list[str]:
    """Hydra overrides of a sweep on that benchmark, writing below tmp_path."""
    return [
        "dataset=folder",
        f"dataset.path={bench}",
        *(f"lists.{name}={bench / name}.trec" for name in ("dense", "graph", "bm25")),
        f"paths.runs={tmp_path / 'runs'}",
        "tracking=none",
    ]


@pytest.fixture(scope="session")
def sweeps_made() -> dict[tuple[str, ...], Path]:
    """The folder of runs of each sweep that ``sweep_of`` has made."""
    return {}


@pytest.fixture
def sweep_of(
    overrides: list[str],
    sweeps_made: dict[tuple[str, ...], Path],
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[..., tuple[SweepResult, Prepared]]:
    """``sweep_of(*given)``: the sweep of ``overrides`` and these, below tmp_path, and what it was
    made of.

    It is made once; each test has a copy.
    """

    def copied(*given: str) -> tuple[SweepResult, Prepared]:
        runs, typed = tmp_path / "runs", (*overrides, *given)
        if given in sweeps_made:
            shutil.copytree(sweeps_made[given], runs)
        prepared = Prepared.of(Plan(compose("config", typed), typed))
        if given not in sweeps_made:
            sweep(prepared, prepared.plan.trials())
            sweeps_made[given] = shutil.copytree(runs, tmp_path_factory.mktemp("swept") / "runs")
        (lock,) = (runs / "sweeps").glob("*/winner.lock.json")
        return SweepResult(lock.parent), prepared

    return copied


@pytest.fixture
def relock() -> Callable[..., None]:
    """``relock(folder, **changes)``: the lock of a sweep as if its files had been written as they
    are now.
    """

    def write(folder: Path, **changes: Any) -> None:
        content = (
            json.loads((folder / "winner.lock.json").read_text())
            | changes
            | {"files": hashes(folder)}
        )
        content.pop("sha256")
        (folder / "winner.lock.json").write_text(json.dumps({**content, "sha256": digest(content)}))

    return write


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A PostgreSQL server, to be shared; skips without the extra ``stores``."""
    pgserver = pytest.importorskip(
        "pgserver", reason="it is in the extra `stores`, and has no build for Python 3.13"
    )
    server = pgserver.get_server(tmp_path_factory.mktemp("postgres"))
    yield server
    server.cleanup()


@pytest.fixture
def one_postgres(postgres: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever starts a PostgreSQL server for itself gets the shared one: to make and stop one takes
    seconds.
    """
    shared = SimpleNamespace(get_uri=postgres.get_uri, cleanup=lambda: None)
    monkeypatch.setattr("pgserver.get_server", lambda folder: shared)


@pytest.fixture(scope="session")
def benchmark_of() -> Callable[[Passages, Sequence[str]], Benchmark]:
    """``benchmark_of(texts or (title, text) pairs, questions)``: ids d0, ... (d00 beyond ten), q0,
    ...; no gold.
    """

    return few


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Artifacts below ``tmp_path``."""
    return Store(tmp_path / "runs")
