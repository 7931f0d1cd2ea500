"""Encoding is resumed where it was killed, and gives the same bytes."""

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from harness.core.errors import HarnessError
from harness.core.files import allocate, unwritable
from harness.model.encoder import embed
from harness.model.encoder.hashed import Hashed, HashedWords
from harness.work.store import Store

SCRIPT = """
import sys, time
from dataclasses import dataclass
from pathlib import Path
from harness.work.store import Store
from harness.model.encoder import embed
from harness.model.encoder.hashed import Hashed, HashedWords

class Slow(HashedWords):
    calls = 0
    def encode(self, texts, role, advance):
        Slow.calls += 1
        time.sleep(float(sys.argv[2]))
        return super().encode(texts, role, advance)

@dataclass(frozen=True)
class SlowHashed:
    version = 1

    def open(self):
        return Slow(64)

texts = [f"text {n % 4500} " + "word " * (n % 11) for n in range(5000)]
embed(SlowHashed(), texts, "passage", Store(Path(sys.argv[1])))
print(Slow.calls)
"""


def start(folder: Path, pause: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", SCRIPT, str(folder), str(pause)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def test_a_killed_process_loses_at_most_one_shard(tmp_path: Path) -> None:
    killed = start(tmp_path / "killed", 1.0)
    deadline = time.monotonic() + 60
    while len(list(tmp_path.rglob("*.npz"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    done = len(list(tmp_path.rglob("*.npz")))
    assert done >= 2
    assert not list(tmp_path.rglob("manifest.json"))

    resumed = int(start(tmp_path / "killed", 0).communicate()[0])
    whole = int(start(tmp_path / "whole", 0).communicate()[0])
    assert resumed == whole - done
    first, second = (
        next((tmp_path / name).rglob("embeddings.npy")).read_bytes() for name in ("killed", "whole")
    )
    assert first == second
    assert not list(tmp_path.rglob("*.npz"))


def test_rows_follow_the_texts_and_have_length_one(tmp_path: Path) -> None:
    texts = ["a long text of many words", "short", "a long text of many words", "other words"]
    vectors = embed(Hashed(64), texts, "passage", Store(tmp_path))
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert np.array_equal(vectors[0], vectors[2])
    for row, text in enumerate(texts):
        np.testing.assert_allclose(
            embed(Hashed(64), [text], "passage", Store(tmp_path))[0], vectors[row], atol=1e-6
        )


def test_unknown_role(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match=r"role=passages.*passage"):
        embed(Hashed(64), ["a"], "passages", Store(tmp_path))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("give", "told"),
    [
        (
            lambda vectors, cut: (vectors[:-1], cut),
            r"float32 of shape \(2, 64\) and bool of shape \(3,\)",
        ),
        (lambda vectors, cut: (vectors[:, :3], cut), r"float32 of shape \(3, 3\)"),
        (lambda vectors, cut: (vectors, cut[:1]), r"bool of shape \(1,\)"),
        (lambda vectors, cut: (vectors.astype(int), cut), r"int64 of shape"),
        (lambda vectors, cut: (vectors, cut.tolist()), r"and a list, \[False"),
        (lambda vectors, cut: vectors, r"float32 of shape \(3, 64\) and a NoneType"),
    ],
)
def test_what_an_encoder_gives_has_a_row_a_text(
    tmp_path: Path, give: Callable[..., object], told: str
) -> None:
    """A row too few was asked for again, for ever."""

    class Wrong(HashedWords):
        def encode(self, texts, role, advance):  # type: ignore[no-untyped-def]
            return give(*super().encode(texts, role, advance))

    @dataclass(frozen=True)
    class Own:
        def open(self) -> Wrong:
            return Wrong(64)

    with pytest.raises(HarnessError, match=rf"Wrong.encode gave.*{told}.*float32 of"):
        embed(Own(), ["a", "b", "c"], "passage", Store(tmp_path))


def test_blocks_are_asked_for_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(
        HarnessError, match=r"cannot write \(No space left on device\); free some space"
    ):
        embed(Hashed(8), list("abc"), "passage", Store(tmp_path))
    monkeypatch.undo()
    assert embed(Hashed(8), list("abc"), "passage", Store(tmp_path)).shape == (3, 8)


@pytest.mark.parametrize("native", [True, False])
def test_allocating_changes_no_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, native: bool
) -> None:
    path = tmp_path / "a.npy"
    made = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(1000, 700))
    before = path.read_bytes()
    if not native:
        monkeypatch.delattr(os, "posix_fallocate")
    allocate(path, made.offset)
    assert path.read_bytes() == before
    assert path.stat().st_blocks * 512 >= len(before)


def test_numpys_short_write_is_a_full_disk() -> None:
    assert unwritable(OSError("1048576 requested and 131056 written")) == "No space left on device"
    assert unwritable(OSError(errno.ENOENT, "no")) is None
