"""Both sides of every benchmark compute the same, on small work; nothing is timed."""

import json
import os
from time import sleep

import pytest

from harness.core.errors import HarnessError
from tests.benchmarks import measure, report
from tests.benchmarks.__main__ import made, names
from tests.benchmarks.growth import exponent, exponents
from tests.benchmarks.measure import Case, run
from tests.benchmarks.united import united
from tests.world.folder import write_benchmark

PEERS = {
    "sweep": "ranx",
    "ppr": "igraph",
    "ppr_small": "igraph",
    "engine": "ray",
    "evaluate": "ranx",
}
SLOW = (
    "engine",
    "official",
    "ppr_small",
    "ner",
    "tracked",
    "workers",
    "encode",
    "evaluate",
    "scaling",
)
REAL = ("bm25", "ppr_small", "ner", "encode", "scaling")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n in SLOW)) for n in names()]
)
@pytest.mark.filterwarnings("ignore")
def test_both_sides_compute_the_same(name) -> None:
    if name in PEERS:
        pytest.importorskip(PEERS[name], reason=f"{PEERS[name]} is not installed")
    if name in REAL and "HARNESS_DATA" not in os.environ:
        pytest.skip("HARNESS_DATA is not set")
    try:
        cases = made(name, quick=True)
    except HarnessError as error:
        pytest.skip(str(error))
    for case in cases.values():
        assert case.check(case.ours(), case.theirs())


@pytest.fixture(autouse=True)
def no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "REST", 0.0)


def test_a_row_is_medians_and_their_ratio(tmp_path) -> None:
    case = Case(
        "work",
        "peer",
        lambda: 1,
        lambda: 1,
        lambda a, b: "equal" if a == b else "",
        aim=0.0,
        scale=2.0,
    )
    row = run(case, repeats=3)
    assert row["ratio"] == pytest.approx(row["peer_s"] / row["ours_s"], rel=0.5, abs=5)
    assert {"ours_s", "peer_s", "ratio", "peer", "versions", "work"} <= row.keys()
    assert row["repeats"] == 3
    report.add(tmp_path, "one", row)
    for ratio in (1.0, 2.0, 3.0, 4.0):
        report.add(tmp_path, "two", {**row, "work": "other", "ratio": ratio})
    rows = json.loads((tmp_path / "benchmarks.json").read_text())
    assert [one["ratio"] for one in rows["two"]["last"]] == [2.0, 3.0, 4.0]
    assert "`one`: work. Same: equal." in (tmp_path / "benchmarks.md").read_text()
    assert "`two`: other." in (tmp_path / "benchmarks.md").read_text()


def test_a_case_has_as_many_turns_as_its_seconds_allow() -> None:
    calls: list[str] = []
    case = Case(
        "work",
        "peer",
        lambda: calls.append("ours"),
        lambda: (calls.append("peer"), sleep(0.2)),
        lambda a, b: "equal",
        aim=0.0,
    )
    row = run(case, repeats=3, budget=0.5)
    assert calls == ["ours", "peer"] * 3
    assert row["ratio_range"][0] <= row["ratio"] <= row["ratio_range"][1]
    assert [run(case, repeats=3, budget=budget)["repeats"] for budget in (0.1, 0.03)] == [1, 1]
    assert calls == ["ours", "peer"] * 6


def test_exponent_by_hand() -> None:
    assert exponent([10, 100], [2.0, 20.0]) == 1
    assert exponent([10, 100], [2.0, 200.0]) == 2
    assert exponent([10, 100], [0.0, 1.0]) is None
    assert exponents([1, 10, 1000], [3.0, 3.0, 300.0]) == [0, 1]


def test_copies_of_real_passages_have_other_names_in_the_same_places(tmp_path, monkeypatch) -> None:
    texts = {"Rome": "Rome is in Italy. The end.", "Oslo": "Oslo is not. Italy is the end. the"}
    query = {"id": "q", "question": "Where?", "answers": ["Italy"], "supporting_ids": ["p1"]}
    write_benchmark(tmp_path / "nq", texts, [query])
    monkeypatch.setenv("HARNESS_DATA", str(tmp_path))
    made, asked = united(5, 10)
    corpus = list(made)
    assert [row["id"] for row in corpus] == ["p1", "p0", "p1-1", "p0-1", "p1-2"]
    assert asked[0]["supporting_ids"] == ["p1"]
    names = {"Rome", "Oslo", "Italy"}
    (oslo, rome) = corpus[2:4]
    assert rome["title"] == rome["text"].split()[0]
    assert rome["title"] in names
    assert rome["text"].endswith(f"{oslo['text'].split()[3]}. The end.")
