"""A board of the small benchmark with the submissions dense, graph and bm25."""

from __future__ import annotations

import gzip
import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.benchmark import load
from harness.core.configuration import compose
from harness.plugins.exchange.board import Board, init, submit
from harness.run import Run

CARD = {
    "version": 1, "code": "closed", "encoder": "none", "language_models": [], "trained_on": [], "fitted_on": [],
    "cost": "none", "licence": "CC0-1.0",
}  # fmt: skip


@pytest.fixture(scope="session")
def first_board(bench: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("board") / "board"
    runs = tmp_path_factory.mktemp("board-runs")
    paths = compose("board", ["action=init", "dir=x", f"paths.runs={runs}"]).paths
    init(folder, [str(bench)], None, paths)
    sha256 = load(bench, runs=runs).sha256
    for name in ("dense", "graph", "bm25"):
        values = {**CARD, "system": name, "benchmark": "tiny"}
        submit(folder / "submissions" / name, Run.from_trec(bench / f"{name}.trec"), values, sha256)
    return folder


@pytest.fixture
def board(first_board: Path, bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Its folder, a copy of one's own below the working directory; the benchmark lies beside it."""
    shutil.copytree(first_board, tmp_path / "board")
    text = (tmp_path / "board" / "board.yaml").read_text()
    shutil.copytree(bench, tmp_path / "tiny")
    before = text.partition("path: '")[2].partition("'")[0]
    (tmp_path / "board" / "board.yaml").write_text(text.replace(before, "../tiny"))
    monkeypatch.chdir(tmp_path)
    return Path("board")


@pytest.fixture
def opened(board: Path) -> Board:
    return Board.read(board)


def write_hashes(folder: Path) -> None:
    data = (folder / "hashes").read_text().splitlines()[2]
    names = ("run.trec.gz", "card.yaml")
    lines = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}" for name in names]
    (folder / "hashes").write_text("\n".join([*lines, data]) + "\n")


@pytest.fixture
def rehash(board: Path) -> Callable[[], None]:
    """Writes the hashes of the files of dense as they are now, as somebody who wants to cheat would."""
    return lambda: write_hashes(board / "submissions" / "dense")


@pytest.fixture
def rewrite(board: Path) -> Callable[[Callable[[list[str]], list[str]]], None]:
    """``rewrite(change)``: the lines of the lists of dense are what ``change`` makes of them, and hashes are right."""

    def write(change: Callable[[list[str]], list[str]]) -> None:
        folder = board / "submissions" / "dense"
        lines = gzip.decompress((folder / "run.trec.gz").read_bytes()).decode().splitlines()
        (folder / "run.trec.gz").write_bytes(gzip.compress("".join(f"{line}\n" for line in change(lines)).encode()))
        write_hashes(folder)

    return write


@pytest.fixture
def rewrite_card(board: Path) -> Callable[[str, str], None]:
    """``rewrite_card(old, new)``: the same of a text in the card of dense."""

    def write(old: str, new: str) -> None:
        folder = board / "submissions" / "dense"
        text = (folder / "card.yaml").read_text()
        assert old in text
        (folder / "card.yaml").write_text(text.replace(old, new))
        write_hashes(folder)

    return write
