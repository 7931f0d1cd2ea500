"""Single bits of a sweep's results, flipped: every one of them is noticed, and the file is
named.
"""

from __future__ import annotations

import random
from pathlib import Path
from types import ModuleType

import pytest

from harness.core.errors import HarnessError
from harness.sweep.folder.lock import file_hash
from harness.sweep.folder.result import SweepResult
from harness.sweep.heldout.ledger import Ledger
from harness.sweep.recomputation import verify_files
from tests.sweep.test_safety import forge

FLIPS = 300


@pytest.fixture
def folder(example: ModuleType, tmp_path: Path) -> Path:
    """A sweep whose lock holds the hashes of these two files."""
    made: Path = example.write(tmp_path / "s1", heldout=False).folder
    names = ("trials.parquet", "ranks.npy")
    forge(
        made / "winner.lock.json",
        lambda lock: lock.update(files={name: file_hash(made / name) for name in names}),
    )
    return made


@pytest.mark.parametrize(
    "name", ["trials.parquet", pytest.param("ranks.npy", marks=pytest.mark.slow)]
)
def test_every_flipped_bit_is_noticed(folder: Path, name: str) -> None:
    path, rng = folder / name, random.Random(14)
    whole = path.read_bytes()
    assert SweepResult(folder).whole.ranks.shape[0] == len(SweepResult(folder).trials)
    for bit in rng.sample(range(8 * len(whole)), FLIPS):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        with pytest.raises(HarnessError, match=rf"{name}.*\(its SHA-256 differs\)"):
            _ = SweepResult(folder).whole
        with pytest.raises(HarnessError, match=rf"{name}: changed"):
            list(verify_files(folder, Ledger(folder / "ledger.jsonl")))
    path.write_bytes(whole)
    assert SweepResult(folder).whole
