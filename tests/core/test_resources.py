"""Room that is missing is told before it is taken, with what needs it and what to do."""

from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest

from harness.benchmark.source.records import read_lines
from harness.core import resources
from harness.core.errors import HarnessError
from harness.model.encoder import embed
from harness.model.encoder.hashed import Hashed
from harness.retriever.pagerank.pagerank import Walks
from harness.work.store import Store
from tests.retriever.pagerank.test_pagerank import CHAIN

Usage = namedtuple("Usage", "total used free")
VECTORS = np.eye(8, dtype=np.float32)


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "SMALL", 0)
    monkeypatch.setattr("shutil.disk_usage", lambda folder: Usage(1 << 30, 1 << 30, 100))


@pytest.fixture
def poor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "SMALL", 0)
    monkeypatch.setattr(resources, "available_memory", lambda: 10)


@pytest.mark.usefixtures("full")
def test_vectors_that_find_no_room_are_not_begun(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match=r"3.*0\.0 GiB .*paths\.runs=DIR"):
        embed(Hashed(), ["a", "b", "c"], "passage", Store(tmp_path))
    assert not list(tmp_path.rglob("*.npz"))


def test_what_is_needed_is_the_shards_and_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(
        "harness.model.encoder.embedding.need_disk", lambda folder, size, what: asked.append(size)
    )
    embed(Hashed(8), ["a", "b", "c", "a"], "passage", Store(tmp_path))
    assert asked == [
        4 * 8 * (3 + 4),
        4 * 8 * 4,
    ]  # before the shards, and before they are put together


@pytest.mark.usefixtures("poor")
def test_memory_that_is_missing_is_told_with_the_knob(tmp_path: Path, titled) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"id": "a"}\n')
    with pytest.raises(HarnessError, match=r"corpus\.jsonl:.*0\.0 GiB"):
        read_lines(path)
    with pytest.raises(HarnessError, match=r"2 passages"):
        embed(
            Hashed(),
            titled({"Dune": "A film.", "Rome": "A city."}, ["Where?"]).passages,
            "passage",
            Store(tmp_path),
        )
    with pytest.raises(HarnessError, match=r"3.*lists\.NAME\.block=4.*push=true"):
        Walks(CHAIN, 0.5, 1e-6, 10)


def told(folder: Path, limit: str) -> None:
    (folder / "meminfo").write_text("MemTotal: 100 kB\nMemAvailable: 50 kB\n")
    for name, text in {
        "memory.max": limit,
        "memory.current": "20000",
        "memory.stat": "inactive_file 4000",
    }.items():
        (folder / name).write_text(f"{text}\n")


@pytest.mark.parametrize(
    ("limit", "left"), [("max", 51200), ("40000", 24000), ("100000000", 51200), ("1000", 0)]
)
def test_what_is_available(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, left: int
) -> None:
    """The machine's, or the container's limit less what it has used, files that the system keeps
    not counted.
    """
    told(tmp_path, limit)
    monkeypatch.setattr(resources, "MEMORY", tmp_path / "meminfo")
    monkeypatch.setattr(resources, "GROUP", tmp_path)
    assert resources.available_memory() == left


def test_a_system_that_tells_nothing_refuses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "MEMORY", tmp_path / "none")
    assert resources.available_memory() is None
    resources.need_memory(1 << 60, "all", "none")
