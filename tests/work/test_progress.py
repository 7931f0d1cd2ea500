"""What a process says of itself while it works, and that nothing of it stays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.work import progress as module
from harness.work.progress import Bar, Progress, doing, following, stage


def state(runs: Path) -> dict[str, object]:
    module._current._write()  # type: ignore[union-attr]
    (path,) = (runs / "progress").glob("*.json")
    found: dict[str, object] = json.loads(path.read_text())
    return found


def test_stages_bars_and_the_best_are_in_a_file_until_the_end(tmp_path: Path) -> None:
    with following(tmp_path, "sweep x=1"):
        stage("encode", 1.5)
        stage("score")
        with following(tmp_path, "within"), Bar(total=10, desc="trials") as bar:
            bar.update(4)
            assert bar.seen
            bar.tell("best a 1.0")
        found = state(tmp_path)
        assert (found["what"], found["stages"], found["best"]) == (
            "sweep x=1",
            {"encode": 1.5, "score": None},
            "best a 1.0",
        )
        assert {"name": "trials", "done": 4, "total": 10}.items() <= found["bar"].items()  # type: ignore[attr-defined]
    assert list(tmp_path.iterdir()) == []
    assert not Bar(total=1).seen  # no terminal, and nobody follows


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "progress").write_text("in the way")
    with following(tmp_path, "sweep"):
        stage("score")
    assert module._current is None


def test_what_is_done_has_no_paths() -> None:
    assert doing("sweep", ["paths.runs=x", "dataset=a", "tracking=none"]) == "sweep dataset=a"


def test_it_ends_with_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="x"), following(tmp_path, "sweep"):
        raise ValueError("x")
    assert list(tmp_path.iterdir()) == []
    assert Progress(tmp_path, "x").path.parent == tmp_path / "progress"


def test_a_password_in_an_address_is_not_written() -> None:
    line = doing(
        "sweep", ["extractor.urls=[http://me:sk-canary@127.0.0.1/v1]", "gate.base_url=http://x/v1?api_key=sk-canary"]
    )
    assert "sk-canary" not in line
    assert line.startswith("sweep extractor.urls=[http://127.0.0.1/v1]")
