"""The hashes of published benchmarks at their first use."""

import json
from pathlib import Path

import pytest

from harness.benchmark.source.lock import Lock
from harness.core.errors import HarnessError
from harness.work.store import Store


def test_another_hash_than_at_the_first_use(tmp_path: Path) -> None:
    lock = Lock.of(Store(tmp_path))
    for _ in range(2):
        lock.hold("a", {"sha256": "x"}, "the benchmark a")
    lock.hold("b", {"sha256": "y"}, "the benchmark b")
    with pytest.raises(
        HarnessError,
        match=r"the benchmark a has changed: sha256 z, but .* holds x from its first use",
    ):
        lock.hold("a", {"sha256": "z"}, "the benchmark a")
    assert json.loads(lock.path.read_text()) == {"a": {"sha256": "x"}, "b": {"sha256": "y"}}


@pytest.mark.parametrize("content", ["{", "[]", "1", '"x"', '{"a": 1}', '{"a": [1]}'])
def test_a_damaged_lock_is_named(tmp_path: Path, content: str) -> None:
    lock = Lock.of(Store(tmp_path))
    lock.path.write_text(content)
    message = ":1: broken JSON" if content == "{" else ": found"
    with pytest.raises(HarnessError, match=f"benchmarks.lock.json{message}"):
        lock.hold("a", {"sha256": "x"}, "it")
