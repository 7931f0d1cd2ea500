"""A command without ``sweep=`` takes the last sweep of this user, never one of several others."""

import os

import pytest

from harness.core.errors import HarnessError
from harness.sweep.folder import inventory as latest_sweep
from harness.sweep.folder.inventory import latest


def test_the_last_own_sweep_or_the_only_one(tmp_path, monkeypatch):
    with pytest.raises(HarnessError, match="there is no sweep yet"):
        latest(tmp_path)
    for time, name in enumerate(("two", "one"), 1):
        folder = tmp_path / "sweeps" / name
        folder.mkdir(parents=True)
        (folder / "winner.lock.json").write_text("{}")
        os.utime(folder / "winner.lock.json", (time, time))
        assert latest(tmp_path) == folder
    monkeypatch.setattr(latest_sweep.os, "getuid", lambda: -1)
    with pytest.raises(HarnessError, match="all of other users"):
        latest(tmp_path)
    (folder / "winner.lock.json").unlink()
    assert latest(tmp_path).name == "two"
