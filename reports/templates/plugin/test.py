"""`harness NAME` as it is typed, by hand."""

from pathlib import Path

from tests import warm


def test_it_says_what_is_asked_for(tmp_path: Path) -> None:
    assert warm.harness("NAME", "word=graph", "times=2", cwd=tmp_path, check=True).stdout == "graph graph\n"


def test_a_mistake_is_one_line(tmp_path: Path) -> None:
    done = warm.harness("NAME", "times=0", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "error: times must be in [1, inf), got times=0\n")
