"""A sweep over a benchmark whose texts attack the page that shows them, held out, and a folder that
is damaged.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from omegaconf import DictConfig

import harness
from harness.core.configuration.composition import compose
from harness.plugins.site.pages.site_files import build
from harness.sweep.folder.result import SweepResult
from tests.browser import CHROMIUM, Browser
from tests.world.folder import write_benchmark

ATTACK = (
    "<img src=x onerror=\"document.title='owned'\"></script><script>document.title='owned'</script>"
)
HIDDEN = "\u202e\x1b[2J\u2028"
"""Reversed reading order, a terminal's command, a line break of JavaScript."""


@pytest.fixture(scope="session")
def runs(bench: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sweeps, the first of them held out."""
    root = tmp_path_factory.mktemp("site")
    corpus, queries = (
        [json.loads(line) for line in (bench / f"{name}.jsonl").read_text().splitlines()]
        for name in ("corpus", "queries")
    )
    for row in corpus:
        row |= {"title": row["title"] + ATTACK, "text": f"{row['text']}{HIDDEN}{ATTACK}"}
    for row in queries:
        row["question"] += f" {ATTACK}{HIDDEN}"
    queries[0]["type"], queries[1]["type"] = "__proto__", ATTACK
    data = write_benchmark(root / "hostile", corpus, queries)
    overrides = [
        "dataset=folder",
        f"dataset.path={data}",
        *(f"lists.{name}={bench / name}.trec" for name in ("dense", "graph", "bm25")),
        f"paths.runs={root / 'runs'}",
        "tracking=none",
    ]
    first = harness.run_sweep(*overrides, "pool.lists=[dense,graph]")
    harness.run_heldout(first)
    harness.run_sweep(*overrides, "fuser=linear", "grid=point")
    return root / "runs"


@pytest.fixture(scope="session")
def settings(runs: Path) -> DictConfig:
    """The configuration of `harness report`."""
    where = [f"paths.runs={runs}", "tracking=none"]
    return compose("report", where)


def results_of(settings: DictConfig) -> list[SweepResult]:
    """Every sweep of a runs folder."""
    locks = (Path(settings.paths.runs) / "sweeps").glob("*/winner.lock.json")
    return [SweepResult(path.parent) for path in sorted(locks)]


@pytest.fixture(scope="session")
def site(
    runs: Path, settings: DictConfig, tmp_path_factory: pytest.TempPathFactory
) -> SimpleNamespace:
    """The site: its folder, its address on disk, and the sweep that was held out."""
    folder = tmp_path_factory.mktemp("out") / "site"
    first = build(settings, folder, results_of(settings))
    held = next(path.parent for path in (runs / "sweeps").glob("*/heldout.json"))
    return SimpleNamespace(folder=folder, url=f"file://{first}", held=held)


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium: the pages are not looked at")
    with Browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    """A window of the usual size; that nothing was written to the console is part of every test."""
    chromium.complaints.clear()
    chromium.show()
    yield chromium
    assert chromium.complaints == []
