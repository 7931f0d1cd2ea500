"""What a dry run says: trials by block counted by hand, what is stored, what would be built and
asked.
"""

import gzip
import json

import pytest

from harness.core.configuration.composition import compose
from harness.sweep.dry_run import blocks, stages
from harness.sweep.trial.plan import Plan
from harness.sweep.trial.prepared import Prepared
from tests import process
from tests.world.generate import write

GRID = [
    "~grid",
    "+grid={ranks:{fuser:[rrf],fuser.k:[10,60]},values:{fuser:[linear,rrf],fuser.alpha:[.3,.5],fuser.k:[10]}}",
]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return write(tmp_path_factory.mktemp("data") / "world", 200)


@pytest.fixture
def base(world, tmp_path):
    return [
        "dataset=folder",
        f"dataset.path={world}",
        "encoder=hashed",
        "extractor.model=null",
        f"paths.runs={tmp_path}/runs",
        "tracking=none",
        *GRID,
    ]


def plan(*given):
    return Plan(compose("config", given), given)


def test_points_and_new_trials_by_block(base):
    table = blocks(plan(*base))
    # baselines: three lists, rrf k=60. ranks: k=60 is a baseline. values: linear twice, rrf k=10
    # once, whatever alpha is
    assert [list(row) for row in table.rows] == [
        ["baselines", "-", 4, 4],
        ["ranks", "fuser=rrf, fuser.k (2)", 2, 1],
        ["values", "fuser (2), fuser.alpha (2), fuser.k=10", 3, 2],
    ]
    assert table.title == "7 trials"


def test_what_is_stored_and_what_would_be_built(base, world, tmp_path):
    before = stages(plan(*base))
    assert [row[1:] for row in before.rows] == [["to build", ""]] * 3
    assert not (tmp_path / "runs" / "artifacts").exists()
    Prepared.of(plan(*base))
    assert [row[1] for row in stages(plan(*base)).rows] == ["stored"] * 3
    again = stages(plan(*base, "lists.bm25.k1=1.3"))
    assert {row[0]: row[1:] for row in again.rows}["bm25"] == ["to build", ""]


@pytest.mark.plugin("llm")
def test_what_a_language_model_would_be_asked(base, world):
    told = stages(plan(*base, "extractor=llm", "extractor.model=big"))
    passages = [
        json.loads(line)
        for line in gzip.decompress((world / "corpus.jsonl.gz").read_bytes()).splitlines()
    ]
    asked = {row[0]: row[2] for row in told.rows}
    assert asked["graph"].startswith(f"big: {2 * len(passages):,} calls, ")
    assert asked["dense"] == asked["bm25"] == ""


@pytest.mark.parametrize(
    "asked",
    [
        ("encoder=sentence_transformer", "encoder.model=nobody/nothing"),
        pytest.param(
            ("reranker=cross_encoder", "reranker.model=nobody/nothing"),
            marks=pytest.mark.plugin("llm"),
        ),
    ],
)
def test_models_that_are_not_here_are_told(tmp_path, asked):
    """Of lists and of rerankers; nothing listens on port 9."""
    given = ("dry_run=true", "tracking=none", f"paths.runs={tmp_path}", "grid=point")
    env = {"HF_ENDPOINT": "http://localhost:9"}
    done = process.harness("sweep", *given, *asked, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert ".model=nobody/nothing: not stored here" in " ".join(done.stdout.split())


@pytest.mark.plugin("mentions")
def test_the_tables_of_a_dry_run_by_the_command_line(tmp_path):
    def said(*arguments):
        own = ("dry_run=true", "tracking=none", f"paths.runs={tmp_path}")
        return process.harness("sweep", *own, *arguments, cwd=tmp_path)

    one = said("fuser=rrf", "fuser.k=5")
    assert one.returncode == 0, one.stderr
    lines = one.stdout.splitlines()
    assert max(map(len, lines)) <= 100
    assert (
        lines[-1]
        == "12 trials; nothing was run (dry_run). Next: the same command without dry_run=true"
    )
    assert lines[0] == "12 trials"  # 3 lists, rrf k=60; k=5 of 4 pools at cap 20 and none
    whole = said().stdout.splitlines()
    assert max(map(len, whole)) <= 100
    (first,) = (number for number, line in enumerate(whole) if line.startswith("distances"))
    assert whole[first + 1].strip().endswith("fuser.weights=simplex")  # no axis is cut
