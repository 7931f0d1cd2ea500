"""`harness trace`: text and a file for one question of a world of four passages."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from harness.core.configuration.composition import compose
from harness.core.errors import HarnessError
from harness.plugins.site.command.trace import run
from harness.plugins.site.trace import Tracer
from harness.plugins.site.trail import strongest_walks
from harness.sweep.folder.lock import locked_winner
from tests.conftest import Command
from tests.world.folder import write_benchmark

WORLD = {
    "Dune (film)": "Dune was filmed by David Lynch.",
    "David Lynch": "David Lynch grew up in Missoula <Montana>.",
    "Missoula": "A city with a river.",
    "Rome & Co": "A city where the director grew up.",
}
QUESTION = {
    "id": "which/one?",
    "question": "Where did the director of Dune <film> grow up?",
    "answers": ["Missoula"],
    "supporting_ids": ["p0", "p1", "p2"],
    "hops": 3,
    "type": "chain",
}


@pytest.fixture
def overrides(tmp_path: Path) -> list[str]:
    write_benchmark(tmp_path, WORLD, [QUESTION])
    return [
        "dataset=folder",
        f"dataset.path={tmp_path}",
        f"paths.runs={tmp_path / 'runs'}",
        "encoder=hashed",
        "extractor.model=null",
        "extractor.spans=false",
        "query='which/one?'",
    ]


def test_text_and_file(
    overrides: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(compose("trace", overrides))
    said = capsys.readouterr().out
    lines = said.splitlines()
    assert "hops 3, type chain" in lines[0]
    assert "answer: Missoula" in said
    assert "fused by boltzmann" in said
    assert "gold 3 (last hop) [p2] Missoula" in " ".join(said.split())
    assert "dune -is the title of-> [p0] Dune (film) -names (title)-> david lynch" in said
    path = Path(lines[-1])
    assert path == tmp_path / "runs" / "traces" / f"{tmp_path.name}-which_one_.json"
    assert json.loads(path.read_text())["lists"]["graph"]["paths"]["p2"]


@pytest.mark.plugin("policyrag")
def test_a_policy_tells_its_terms_as_text_and_json(
    overrides: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = [
        "+retriever@lists.policy=policyrag",
        "pool.lists=[dense,policy]",
        "lists.policy.policy.traverse.eta_s=0.1",
    ]
    run(compose("trace", [*overrides, *more]))
    said = capsys.readouterr().out
    for table in ("phrase seeds", "passage seeds", "facts", "mass", "passages"):
        assert f"policy, {table}" in said
    told = json.loads(Path(said.splitlines()[-1]).read_text())
    assert told["query"] == "which/one?"
    assert told["gold"] == ["p0", "p1", "p2"]
    policy = told["lists"]["policy"]
    assert policy["retriever"]["policy"]["traverse"]["eta_s"] == 0.1
    terms = ("walk", "lambda_title", "lambda_cov", "lambda_path")
    for row in policy["passages"]:
        assert abs(sum(row[term] for term in terms) - row["score"]) < 1e-9
    assert {row["passage"] for row in policy["passages"]} >= {"p0", "p1", "p2"}
    assert sorted(row["rank"] for row in policy["passages"]) == [1, 2, 3, 4]


def test_a_question_that_is_not_there(overrides: list[str]) -> None:
    with pytest.raises(HarnessError, match=r"query=which/two: .*which/one\?\?\)"):
        run(compose("trace", [*overrides[:-1], "query=which/two"]))
    with pytest.raises(HarnessError, match="query: no value is given"):
        run(compose("trace", overrides[:-1]))
    with pytest.raises(HarnessError, match=r"trace\.count"):
        run(compose("trace", [*overrides, "trace.count=0"]))
    with pytest.raises(HarnessError, match=r"pool\.lists.*graph\?\)"):
        run(compose("trace", [*overrides, "pool.lists=[dense,grahp]"]))


def test_a_lock_brings_benchmark_lists_and_winner(
    command: Command, bench: Path, tmp_path: Path
) -> None:
    home = [f"paths.runs={tmp_path}", "tracking=none"]
    status, said, _ = command(
        "sweep",
        *home,
        "dataset=folder",
        f"dataset.path={bench}",
        *(f"lists.{name}={bench / name}.trec" for name in ("dense", "graph", "bm25")),
        "fuser=linear",
        "grid=point",
    )
    assert not status
    folder, query = said.split()[-1], "q0"
    lock = json.loads((Path(folder) / "winner.lock.json").read_text())
    status, said, error = command("trace", f"query={query}", f"lock={folder}", home[0])
    assert not status, error
    made = json.loads(Path(said.split()[-1]).read_text())
    assert {*made["ranks"]} == {*lock["lists"], f"fused by {locked_winner(lock)}"}
    alone = command("trace", query, f"lock={folder}/winner.lock.json", home[0])
    assert alone[:2] == (0, said)
    status, _, error = command("trace", query, f"lock={folder}", home[0], "lists.dense.depth=3")
    assert status == 2
    assert "lists.dense.depth" in error


class Fixed(Tracer):
    """A tracer whose fused list holds passages 3, 0, 4, 2 and 1, in this order."""

    def order(self, query: int) -> dict[str, dict[int, float]]:
        return {"fused": {3: 0.9, 0: 0.8, 4: 0.7, 2: 0.5, 1: 0.0}}


@pytest.mark.parametrize(
    ("gold", "rivals", "above"),
    [([0, 2, -1], 5, [3, 4]), ([0, 2, -1], 1, [3]), ([2, 0, 9], 5, [3, 4, 1]), ([3], 5, [])],
)
def test_rivals_are_what_beats_any_gold_passage(
    gold: list[int], rivals: int, above: list[int]
) -> None:
    """A passage that the list lacks is beaten by all of it; the best one by none."""
    given: Any = SimpleNamespace(gold=np.array([gold]))
    traced = Fixed(given, {}, {}, given, "fused", given, given).trace(0, 1, rivals)
    assert (traced.gold, traced.rivals) == ([doc for doc in gold if doc >= 0], above)
    assert [traced.rank("fused", doc) for doc in (3, 1, 9)] == [1, 5, None]


def test_strength_of_paths_by_hand() -> None:
    """From node 0 the mass goes to 1 (.6) and 2 (.4), and all of theirs to 3."""
    transition = sp.csr_array([[0, 0.6, 0.4, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0.0]])
    seeds = np.array([0.75, 0, 0.25, 0])
    found = list(strongest_walks(transition, seeds, 0.5, 3, 5))
    assert [walk for walk, _ in found] == [[2, 3], [0, 1, 3]]
    assert [strength for _, strength in found] == pytest.approx(
        [0.5 * 0.25 * 0.5, 0.5 * 0.75 * 0.3 * 0.5]
    )
    assert not list(strongest_walks(transition, seeds, 1.0, 3, 5))
