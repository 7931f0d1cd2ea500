"""A sweep that release 0.5.0 wrote and held out: this release shows it, or names the release that
does.
"""

import json
import shutil
from pathlib import Path

import pytest

from harness.core.identity import sealed
from harness.sweep.folder import lock
from tests import process

OLD = Path(__file__).parent / "released" / "0.5.0"
"""The runs folder of ``sweep 'lists={dense: a.trec, graph: b.trec}' gold=gold.jsonl grid=point``, then
``heldout``: 80 questions.
"""
COMMANDS = (("report", "tracking=none"), ("verify",))


@pytest.fixture
def old(tmp_path: Path) -> Path:
    (sweep,) = (shutil.copytree(OLD, tmp_path / "runs") / "sweeps").iterdir()
    return Path(sweep)


def test_the_folder_is_small() -> None:
    assert sum(path.stat().st_size for path in OLD.rglob("*")) < 200_000


@pytest.mark.skipif(lock.OLDEST > (0, 5), reason="sweeps of 0.5.0 are refused")
def test_it_is_shown(old: Path, tmp_path: Path) -> None:
    """Held out, rrf won 22 questions against dense and lost none."""
    for command, *more in COMMANDS:
        done = process.harness(command, f"sweep={old}", *more, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    table = (tmp_path / "reports" / "tables" / "main.csv").read_text(encoding="utf-8")
    (row,) = [line for line in table.splitlines() if line.lower().startswith("rrf")]
    assert f",22,0,{2 / 2**22}," in row  # exact McNemar of 22 wins and no loss


@pytest.mark.parametrize("command", [*COMMANDS, ("heldout",)])
def test_what_is_too_old_is_refused_by_one_line_with_its_release(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setattr(lock, "OLDEST", (0, 6))
    done = process.harness(*command, f"sweep={old}", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.count("release 0.5.0") == 2


def test_sweeps_before_the_oldest_release_are_refused(old: Path) -> None:
    path = old / lock.LOCK
    content = {**json.loads(path.read_text()), "code": "0.4.0+bf8aff8986c5"}
    path.write_text(json.dumps(sealed(content)))
    with pytest.raises(lock.HarnessError, match=r"release 0\.4\.0"):
        lock.read_lock(path)
    baselines = {"lists": {}, "reference": "dense", "best_single": "dense"}
    path.write_text(json.dumps(sealed({**content, **baselines, "code": "0.10.0+bf8aff8986c5"})))
    assert lock.read_lock(path)["n"] == 38
