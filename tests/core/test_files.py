"""Files that would end the process are refused."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from harness.core.errors import HarnessError
from harness.core.files import make_folder, read_yaml, remove_partials, write_text


@pytest.mark.parametrize("text", ["[" * 100_000, "- " * 100_000, "{a: " * 100_000, "[" * 101 + "]" * 101])
def test_yaml_that_nests_without_end_is_refused_before_it_ends_the_process(tmp_path: Path, text: str) -> None:
    path = tmp_path / "deep.yaml"
    path.write_text(text)
    with pytest.raises((ValueError, yaml.YAMLError)):
        read_yaml(path)
    path.write_text("[" * 100 + "]" * 100)
    assert read_yaml(path)


def test_what_a_killed_report_left_goes_from_its_folders_too_and_what_is_being_written_stays(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    (tmp_path / "data").mkdir()
    for name in ("a.js", "data/b.js"):
        (tmp_path / f"{name}.{ended.pid}.partial").touch()
        (tmp_path / f"{name}.{os.getpid()}.partial").touch()
    remove_partials(tmp_path, "**/*.partial")
    left = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.partial"))
    assert left == [f"a.js.{os.getpid()}.partial", f"data/b.js.{os.getpid()}.partial"]


def test_a_disk_that_is_full_when_a_folder_is_made_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "mkdir", refuse)
        with pytest.raises(HarnessError, match=r"sweep: cannot write \(No space left on device\); free some space"):
            make_folder(tmp_path / "sweep")
    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", refuse)
        patched.setattr(Path, "unlink", refuse)
        with pytest.raises(HarnessError, match=r"a.txt: cannot write \(No space left on device\)"):
            write_text(tmp_path / "a.txt", "x")
