from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from harness.extractor.shards import sharded


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
        sharded(tmp_path, "lengths", texts, lambda part: work(part, dies=True), size=2)
    seen.clear()
    rows = sharded(tmp_path, "lengths", texts, work, size=2)
    assert seen == ["bb", "ccc", "dd"]
    assert [row.tolist() for row in rows] == [[], [[1, 1]], [[2, 2]] * 2, [[3, 3]] * 3, [[2, 2]] * 2]
