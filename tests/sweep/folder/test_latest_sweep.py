"""A command without ``sweep=`` takes the last sweep of this user in this folder, never somebody
else's of several.
"""

import errno
import os

import pytest

from harness.core.errors import HarnessError
from harness.core.files import HOST
from harness.sweep.folder.latest_sweep import latest, remember
from harness.sweep.folder.result import SweepResult


@pytest.fixture
def runs(tmp_path):
    (tmp_path / "runs" / "sweeps").mkdir(parents=True)
    return tmp_path / "runs"


def swept(runs, name, place, user, monkeypatch):
    """A sweep of a user in a working folder."""
    place.mkdir(exist_ok=True)
    monkeypatch.chdir(place)
    monkeypatch.setenv("LOGNAME", user)
    remember(runs / "sweeps" / name)


def test_each_folder_and_user_has_its_own(runs, tmp_path, monkeypatch):
    swept(runs, "one", tmp_path / "a", "ann", monkeypatch)
    swept(runs, "two", tmp_path / "b", "ann", monkeypatch)
    swept(runs, "three", tmp_path / "a", "bob", monkeypatch)
    swept(runs, "four", tmp_path / "b", "ann", monkeypatch)
    assert latest(runs).name == "four"
    monkeypatch.chdir(tmp_path / "a")
    assert latest(runs).name == "one"
    monkeypatch.setenv("LOGNAME", "bob")
    assert latest(runs).name == "three"
    monkeypatch.setenv("LOGNAME", "eve")
    with pytest.raises(
        HarnessError, match=r"several from others: one \(by ann in .*; three .*choose one of"
    ):
        latest(runs)


def test_the_only_one_is_taken_wherever_it_was_made(runs, tmp_path, monkeypatch):
    with pytest.raises(HarnessError, match="there is no sweep yet"):
        latest(runs)
    swept(runs, "one", tmp_path / "a", "ann", monkeypatch)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOGNAME", "bob")
    assert latest(runs).name == "one"
    swept(runs, "two", tmp_path / "a", "ann", monkeypatch)  # in the place of one
    monkeypatch.setenv("LOGNAME", "bob")
    assert latest(runs).name == "two"


def test_what_was_imported_is_taken_while_it_is_the_only_one(runs):
    for name in ("one", "two"):
        (runs / "sweeps" / name).mkdir()
    (runs / "sweeps" / "one" / "winner.lock.json").write_text("{}")
    assert latest(runs).name == "one"
    (runs / "sweeps" / "two" / "winner.lock.json").write_text("{}")
    with pytest.raises(HarnessError, match=r"several from others: one .*; two .*choose one of"):
        latest(runs)


def test_a_damaged_pointer_is_no_traceback_and_the_next_sweep_mends_it(runs, tmp_path, monkeypatch):
    (runs / "sweeps" / "latest").write_bytes(b"\xe5\xff\tann\n")
    with pytest.raises(HarnessError, match=r"choose one of|not a sweep's folder"):
        SweepResult(latest(runs))
    swept(runs, "one", tmp_path / "a", "ann", monkeypatch)
    assert latest(runs).name == "one"


def test_what_a_killed_sweep_left_of_the_pointer_goes(runs, tmp_path, monkeypatch):
    left = runs / "sweeps" / f"latest.{HOST}.999999999.partial"
    left.write_text("half")
    swept(runs, "one", tmp_path / "a", "ann", monkeypatch)
    assert not left.exists()


def test_no_space_for_the_lock_of_the_pointer_is_one_line(runs, tmp_path, monkeypatch):
    def full(*given):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("filelock.FileLock.acquire", full)
    with pytest.raises(HarnessError, match=r"latest\.lock:"):
        swept(runs, "one", tmp_path / "a", "ann", monkeypatch)
