"""`harness diagnose`: what ranks cannot tell, of every list of a world of four passages."""

import json
from pathlib import Path

import pytest

from harness.benchmark import md5_split
from harness.core.configuration.composition import compose
from harness.core.errors import HarnessError
from harness.plugins.policyrag.command.diagnose import run
from tests.world.folder import write_benchmark

WORLD = {
    "Dune (film)": "Dune was filmed by David Lynch.",
    "David Lynch": "David Lynch grew up in Missoula.",
    "Missoula": "A city with a river.",
    "Rome": "A city with a river.",
}
FIELDS = ("id", "question", "answers", "supporting_ids", "hops", "type")
ROWS = [
    ("one", "Where did the director of Dune grow up?", ["Missoula"], ["p0", "p1"], 2, "chain"),
    ("two", "Who is David Lynch?", ["a man"], ["p1"], 1, "chain"),
]
QUESTIONS = [dict(zip(FIELDS, row, strict=True)) for row in ROWS]

pytestmark = pytest.mark.plugin("policyrag")


@pytest.fixture
def overrides(tmp_path: Path) -> list[str]:
    write_benchmark(tmp_path, WORLD, QUESTIONS)
    return [
        "dataset=folder",
        f"dataset.path={tmp_path}",
        f"paths.runs={tmp_path / 'runs'}",
        "encoder=hashed",
        "extractor.model=null",
        "extractor.spans=false",
        "+retriever@lists.policy=policyrag",
        "diagnose.split=all",
    ]


def test_every_list_is_diagnosed(
    overrides: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All four passages are in the first five, so Missoula is found, and "a man" stands nowhere."""
    out = tmp_path / "diagnosis.json"
    measures = "diagnose.measures=[answer_supported@5,hops_recovered@5]"
    more = [measures, "diagnose.perturbed=2", f"diagnose.out={out}"]
    run(compose("diagnose", [*overrides, *more]))
    said = capsys.readouterr().out
    assert "answer_supported@5" in said
    assert said.splitlines()[-1] == str(out)
    found = json.loads(out.read_text())
    assert found["dense"]["answer_supported@5"]["mean"] == 0.5
    assert found["dense"]["answer_supported@5"]["n"] == 2
    assert "suppressed" not in found["dense"]
    policy = found["policy"]
    assert 0 <= policy["suppressed"]["mean"] <= 1
    parts = [policy[f"{part}_suppressed"]["n"] for part in ("distractors", "gold")]
    assert sum(parts) == policy["suppressed"]["n"]
    assert policy["stable_paraphrase"]["n"] == 2
    assert policy["stable_alias"]["n"] == 1
    assert 0 < policy["stable_paraphrase"]["mean"] <= 1
    assert {name: md5_split(name) for name in ("one", "two")} == {"one": "tune", "two": "test"}


def test_mistakes_are_found_before_anything_runs(overrides: list[str]) -> None:
    with pytest.raises(HarnessError, match="recall@5"):
        run(compose("diagnose", [*overrides, "diagnose.measures=[recall@5]"]))
    with pytest.raises(HarnessError, match=r"diagnose\.perturbed.*\[0"):
        run(compose("diagnose", [*overrides, "diagnose.perturbed=-1"]))
