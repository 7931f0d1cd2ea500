"""Encoding on a full disk: one line, no killed process, and the next run goes on."""

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from harness.core.errors import HarnessError
from harness.core.files import allocate, unwritable
from harness.model.encoder import embed
from harness.model.encoder.hashed import Hashed
from harness.work.store import Store

TEXTS = [f"text {number}" for number in range(2048)]
ENCODE = """
import sys
from pathlib import Path
from harness.work.store import Store
from harness.core.errors import HarnessError
from harness.model.encoder import embed
from harness.model.encoder.hashed import Hashed
try:
    embed(Hashed(), [f"text {number}" for number in range(2048)], "passage", Store(Path(sys.argv[1])))
except HarnessError as error:
    sys.exit(str(error))
"""


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk that has room for the shards (3 MiB, packed in parts) and not for what they are put
    together to.
    """
    place = tmp_path / "small"
    place.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=5m", "tmpfs", place], capture_output=True
    ).returncode:
        pytest.skip("a file system of a few MiB cannot be mounted here (root can)")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_full_disk_is_one_line_and_the_next_run_goes_on(small: Path) -> None:
    search = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", ENCODE, small], capture_output=True, text=True, env=search
    )
    assert done.returncode == 1, f"killed by signal {-done.returncode}"
    assert "cannot write (No space left on device); free some space" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    subprocess.run(["mount", "-o", "remount,size=20m", small], check=True)
    done = subprocess.run(
        [sys.executable, "-P", "-c", ENCODE, small], capture_output=True, text=True, env=search
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_blocks_are_asked_for_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(
        HarnessError, match=r"cannot write \(No space left on device\); free some space"
    ):
        embed(Hashed(8), TEXTS[:10], "passage", Store(tmp_path))
    monkeypatch.undo()
    assert embed(Hashed(8), TEXTS[:10], "passage", Store(tmp_path)).shape == (10, 8)


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
