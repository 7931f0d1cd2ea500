"""One process at a time holds a lease, and the death of a holder sets it free."""

import errno
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.core.files import HOST
from harness.work import lease as module
from harness.work.lease import holder, is_stale, lease


def test_the_second_is_told_at_once_and_the_lease_goes_with_its_block(tmp_path: Path) -> None:
    path = tmp_path / "a.lease"
    with lease(path) as first, lease(path) as second:
        assert (first, second) == (True, False)
        assert holder(path)["pid"] == os.getpid()
    assert list(tmp_path.iterdir()) == []
    with lease(path) as again:
        assert again


def test_of_many_processes_one_holds_it(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from harness.work.lease import lease\n"
        "with lease(Path(sys.argv[1])) as held:\n    print(int(held), flush=True); sys.stdin.read()"
    )
    line = [sys.executable, "-c", code, str(tmp_path / "a.lease")]
    started = [
        subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    held = [process.stdout.readline().strip() for process in started]  # type: ignore[union-attr]
    for process in started:
        process.communicate("")
    assert sorted(held) == ["0", "0", "0", "1"]
    assert list(tmp_path.iterdir()) == []


def test_a_dead_process_of_this_host_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "a.lease"
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    path.write_text(json.dumps({"host": "any", "machine": HOST, "pid": ended.pid, "token": "x"}))
    assert is_stale(path)
    with lease(path) as held:
        assert held
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [errno.ENOTSUP, errno.EPERM])
def test_a_file_system_without_hard_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "a.lease"
    with lease(path) as first, lease(path) as second:
        assert (first, second) == (True, False)
    path.write_text("{}")
    os.utime(path, (0, 0))
    with lease(path) as taken_over:
        assert taken_over
    assert list(tmp_path.iterdir()) == []


def test_a_date_in_the_future_grows_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.lease"
    path.write_text(json.dumps({"host": "elsewhere", "machine": "another", "pid": 1, "token": "x"}))
    os.utime(path, (time.time() + 86400,) * 2)
    assert not is_stale(path)
    assert abs(path.stat().st_mtime - time.time()) < 30
    monkeypatch.setattr(module, "STALE", -1.0)
    assert is_stale(path)


def test_a_container_of_the_same_name_is_another_machine(tmp_path: Path) -> None:
    """Its process numbers are its own, so that none of them runs here says nothing."""
    path = tmp_path / "a.lease"
    held = {"host": socket.gethostname(), "machine": "another", "pid": 999999999, "token": "x"}
    path.write_text(json.dumps(held))
    assert not is_stale(path)


@pytest.mark.parametrize(("age", "stale"), [(30, False), (90, True)])
def test_another_hosts_lease_is_stale_when_it_was_not_touched_for_a_minute(
    tmp_path: Path, age: int, stale: bool
) -> None:
    path = tmp_path / "a.lease"
    path.write_text(json.dumps({"host": "elsewhere", "pid": 1, "token": "x"}))
    os.utime(path, (time.time() - age,) * 2)
    assert is_stale(path) == stale
    with lease(path) as held:
        assert held == stale


def test_a_holder_touches_its_lease(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BEAT", 0.01)
    path = tmp_path / "a.lease"
    with lease(path):
        os.utime(path, (0, 0))
        deadline = time.monotonic() + 20
        while path.stat().st_mtime < 1 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert path.stat().st_mtime > 1


def test_a_lease_that_was_taken_over_is_not_removed_by_its_first_holder(tmp_path: Path) -> None:
    path = tmp_path / "a.lease"
    with lease(path):
        path.write_text(json.dumps({"host": "elsewhere", "pid": 1, "token": "other"}))
    assert holder(path)["token"] == "other"
