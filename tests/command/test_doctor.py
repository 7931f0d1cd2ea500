"""`harness doctor` counts what is there."""

from pathlib import Path

from harness.work.store import Store
from tests.conftest import Command


def test_artifacts_are_counted(tmp_path: Path, command: Command) -> None:
    for stage in ("encode", "graph"):
        Store(tmp_path).get(stage, {}, {}, lambda folder: (folder / "x").touch())
    typed = (f"paths.runs={tmp_path}", f"paths.ledger={tmp_path}/ledger.jsonl", "tracking=none")
    _, printed, _ = command("doctor", *typed)
    assert f"artifacts  encode 1, graph 1 in {tmp_path}\n" in printed
