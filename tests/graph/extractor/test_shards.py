from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from harness.graph.extractor.offline import fill_shards, read_rows


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
        read_rows(
            fill_shards(tmp_path, "lengths", texts, lambda part: work(part, dies=True), size=2)
        )
    seen.clear()
    rows = read_rows(fill_shards(tmp_path, "lengths", texts, work, size=2))
    assert seen == ["bb", "ccc", "dd"]
    assert [row.tolist() for row in rows] == [
        [],
        [[1, 1]],
        [[2, 2]] * 2,
        [[3, 3]] * 3,
        [[2, 2]] * 2,
    ]


def packed_otherwise(data: bytes) -> bytes:
    """A flip in the directory of the archive: a method of compression that there is not."""
    at = data.index(b"PK\x01\x02") + 10
    return data[:at] + b"\x63" + data[at + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:20],
        lambda data: b"",
        lambda data: data[:-30] + b"x" * 30,
        packed_otherwise,
    ],
)
def test_a_damaged_shard_is_named_and_made_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: Any
) -> None:
    def work(part: Sequence[str]) -> Iterator[NDArray[np.int32]]:
        return (np.full((1, 1), len(text), dtype=np.int32) for text in part)

    read_rows(fill_shards(tmp_path, "lengths", ["a", "bb", "ccc"], work, size=2))
    shard = tmp_path / "lengths-00000.npz"
    whole = shard.read_bytes()
    shard.write_bytes(damage(whole))
    rows = read_rows(fill_shards(tmp_path, "lengths", ["a", "bb", "ccc"], work, size=2))
    assert [row.tolist() for row in rows] == [[[1]], [[2]], [[3]]]
    assert f"{shard} is damaged" in caplog.text
    assert shard.read_bytes() == whole
    assert not list(tmp_path.glob("*.partial"))
