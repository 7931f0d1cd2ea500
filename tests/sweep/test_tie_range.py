"""The range of the winner's objective over the orders of equal scores, in sweep and heldout."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.benchmark import md5_split
from tests import process
from tests.world.folder import write_runs

KEYS = ("gold=queries.jsonl", "objective=last_hop@1", "tracking=none")


def test_sweep_and_heldout_say_it_of_the_winner(tmp_path: Path) -> None:
    """Both lists have one document a question, so RRF gives each 1 / 61.

    In the first 33 questions it is the last hop in both lists. In the others the graph has another
    one, which ties with the last hop.
    """
    write_runs(tmp_path, {"dense": range(66), "graph": range(33)})
    lists = "lists={dense: dense.json, graph: graph.json}"
    done = process.harness("sweep", lists, *KEYS, "fuser=rrf", "grid=point", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    sweep = tmp_path / done.stdout.splitlines()[-1]
    held = process.harness("heldout", "tracking=none", cwd=tmp_path)
    assert held.returncode == 0, held.stderr
    (winner,) = (
        row for row in json.loads((sweep / "heldout.json").read_text()) if "winner" in row["roles"]
    )
    found = {
        "tune": json.loads((sweep / "manifest.json").read_text())["tie_range"],
        "test": winner["tie_range"],
    }
    for split, printed in (("tune", done.stdout), ("test", held.stdout)):
        members = [n for n in range(66) if md5_split(f"q{n:02}") == split]
        sure = sum(n < 33 for n in members) / len(members)
        assert found[split] == pytest.approx([sure, 1.0])
        said = " ".join(printed.split())
        assert f"on {split} has equal scores" in said
        assert f"last_hop@1 {100 * sure:.1f} to 100.0" in said
