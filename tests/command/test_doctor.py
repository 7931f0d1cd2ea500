"""`harness doctor`: damaged artifacts are named, by file, where it is asked to look."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from harness.command.doctor import run
from harness.core.artifact import MANIFEST
from harness.core.configuration.composition import compose
from harness.core.identity import digest
from harness.work.store import Store


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    store = Store(tmp_path)
    for stage in ("encode", "graph"):
        store.get(
            stage, {}, {}, lambda folder: (folder / "data.npy").write_bytes(bytes(100)) and None
        )
    pairs = pytest.importorskip("harness.plugins.llm.reranker.pair_scores")
    place = tmp_path / "artifacts" / "judge" / "x"
    pairs.PairScores(place, {}).add([digest("a")], np.array([0.5]))
    return tmp_path


def said(runs: Path, *more: str) -> list[str]:
    found: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("builtins.print", lambda *parts: found.append(" ".join(map(str, parts))))
        run(
            compose(
                "doctor",
                [f"paths.runs={runs}", f"paths.ledger={runs}/ledger.jsonl", "tracking=none", *more],
            )
        )
    return [line for line in found if line.startswith(("artifacts", "DAMAGED"))]


def test_whole_artifacts(runs: Path) -> None:
    assert said(runs) == [f"artifacts  encode 1, graph 1, judge 1 in {runs}"]
    assert said(runs, "artifacts=true")[1:] == ["artifacts  2 of 2 whole"]


@pytest.mark.parametrize("damage", ["flipped", "cut", "gone", "manifest"])
def test_a_damaged_artifact_is_named(runs: Path, damage: str) -> None:
    place = Store(runs).place("encode", {}, {})
    path = place / "data.npy"
    match damage:
        case "flipped":
            path.write_bytes(bytes(50) + b"\x01" + bytes(49))
        case "cut":
            path.write_bytes(bytes(99))
        case "gone":
            path.unlink()
        case "manifest":
            path = place / MANIFEST
            path.write_text("{")
    assert len(said(runs)) == 1, "only where it is asked for"
    _, named, count = said(runs, "artifacts=true")
    assert named.startswith(f"DAMAGED    {path}: missing")
    assert named.endswith("it is built again by the next command that needs it")
    assert count == "artifacts  1 of 2 whole"
