from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from harness.graph.extractor.recognition.shards import Shards
from harness.work.store import Store


class Killed(Exception):
    """Stands for a signal."""


def test_a_killed_run_loses_at_most_one_shard(tmp_path: Path) -> None:
    texts = ["", "a", "bb", "ccc", "dd"]
    seen: list[str] = []

    def work(part: Sequence[str], dies: bool = False) -> Iterator[NDArray[np.int32]]:
        for text in part:
            if dies and text == "ccc":
                raise Killed
            seen.append(text)
            yield np.full((len(text), 2), len(text), dtype=np.int32)

    with pytest.raises(Killed):
        Shards(tmp_path, "lengths", texts, lambda part: work(part, dies=True), size=2).rows()
    seen.clear()
    rows = Shards(tmp_path, "lengths", texts, work, size=2).rows()
    assert seen == ["bb", "ccc", "dd"]
    assert [row.tolist() for row in rows] == [[], [[1, 1]], [[2, 2]] * 2, [[3, 3]] * 3, [[2, 2]] * 2]


def test_rows_of_the_same_texts_are_taken_from_artifacts_made_the_same_way(tmp_path: Path) -> None:
    store, seen = Store(tmp_path), list[str]()

    def work(part: Sequence[str]) -> Iterator[NDArray[np.int32]]:
        seen.extend(part)
        return (np.full((len(text), 1), len(text), dtype=np.int32) for text in part)

    def made(key: str, texts: list[str], made_by: str, below: str = ".") -> tuple[list[list[list[int]]], int]:
        found: list[tuple[list[NDArray[np.int32]], int]] = []

        def build(folder: Path) -> None:
            (folder / below).mkdir(exist_ok=True)
            shards = Shards(folder / below, "lengths", texts, work, size=2, made_by=made_by)
            found.append((shards.rows(), sum(text in shards.known for text in texts)))

        seen.clear()
        store.get("extract", {"key": key}, {}, build)
        return [row.tolist() for row in found[0][0]], found[0][1]

    assert made("one", ["a", "bb"], "x") == ([[[1]], [[2], [2]]], 0)
    assert made("other work", ["a", "bb"], "y") == ([[[1]], [[2], [2]]], 0)
    rows, taken = made("grown", ["", "bb", "a", "ccc", "ccc"], "x", "base")
    assert (rows, taken) == ([[], [[2], [2]], [[1]], [[3]] * 3, [[3]] * 3], 2)
    assert seen == ["", "ccc", "ccc"]
    assert made("again", ["ccc", ""], "x") == ([[[3]] * 3, []], 2)
    assert seen == []
    fresh = {path.name: path.read_bytes() for path in (store.place("extract", {"key": "grown"}, {}) / "base").iterdir()}
    Shards(tmp_path, "lengths", ["", "bb", "a", "ccc", "ccc"], work, size=2, made_by="x").rows()
    assert fresh == {path.name: path.read_bytes() for path in tmp_path.glob("*.npz")}


def packed_otherwise(data: bytes) -> bytes:
    """A flip in the directory of the archive: a method of compression that there is not."""
    at = data.index(b"PK\x01\x02") + 10
    return data[:at] + b"\x63" + data[at + 1 :]


@pytest.mark.parametrize(
    "damage", [lambda data: data[:20], lambda data: b"", lambda data: data[:-30] + b"x" * 30, packed_otherwise]
)
def test_a_damaged_shard_is_named_and_made_again(tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: Any) -> None:
    def work(part: Sequence[str]) -> Iterator[NDArray[np.int32]]:
        return (np.full((1, 1), len(text), dtype=np.int32) for text in part)

    Shards(tmp_path, "lengths", ["a", "bb", "ccc"], work, size=2).rows()
    shard = tmp_path / "lengths-00000.npz"
    whole = shard.read_bytes()
    shard.write_bytes(damage(whole))
    rows = Shards(tmp_path, "lengths", ["a", "bb", "ccc"], work, size=2).rows()
    assert [row.tolist() for row in rows] == [[[1]], [[2]], [[3]]]
    assert f"{shard} is damaged" in caplog.text
    assert shard.read_bytes() == whole
    assert not list(tmp_path.glob("*.partial"))
