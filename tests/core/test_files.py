"""Files that would end the process are refused."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from harness.core.files import read_yaml, remove_partials


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
