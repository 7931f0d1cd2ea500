"""Several runs of one system: by a pattern, by names, in Python; what is printed and written."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest

import harness
from harness.evaluation.statistic import two_way
from harness.run.io import read
from tests.conftest import Command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """60 queries; four runs of `mine` that find a gold document with .7, .5, .8 and .6, and one of
    `base` with .5.
    """
    monkeypatch.chdir(tmp_path)
    draw = random.Random(0)
    names = [f"q{number:02}" for number in range(60)]
    Path("gold.jsonl").write_text(
        "".join(json.dumps({"id": q, "supporting_ids": [f"b{q}"]}) + "\n" for q in names)
    )
    for file, skill in (
        ("mine.0", 0.7),
        ("mine.1", 0.5),
        ("mine.2", 0.8),
        ("mine.3", 0.6),
        ("base", 0.5),
    ):
        lists = {
            name: {f"b{name}" if draw.random() < skill else "x": 1.0, "y": 0.5} for name in names
        }
        Path(f"{file}.json").write_text(json.dumps(lists))
    return tmp_path


def found_by(file: str) -> list[float]:
    return [float(f"b{q}" in found) for q, found in json.loads(Path(file).read_text()).items()]


def values(*files: str) -> np.ndarray:
    return np.array([found_by(file) for file in files]).T


def test_a_pattern_is_one_system(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    given = ("baseline=base.json", "gold=gold.jsonl", "metric=full_sup", "k=1")
    status, said, _ = command("compare", "run=mine.*.json", *given, "out=out.json")
    assert status == 0
    found, ours = (
        json.loads(Path("out.json").read_text()),
        values(*(f"mine.{n}.json" for n in range(4))),
    )
    expected = two_way(ours, values("base.json"))
    assert (found["p"], found["error"]["run_error"]) == (expected.p, expected.run_error)
    assert found["interval"] == list(expected.interval())
    assert found["repeats"]["mine.*.json"]["scores"] == pytest.approx(ours.mean(axis=0).tolist())
    sd = ours.mean(axis=0).std(ddof=1)
    assert found["repeats"]["mine.*.json"]["sd"] == pytest.approx(sd)
    assert found["run"] == "mine.0.json, mine.1.json, mine.2.json, mine.3.json"
    text = " ".join(said.split())
    assert "run metric runs sd score baseline difference" in text
    assert "p and intervals over questions and runs." in text
    assert f"mine.*.json full_sup@1 4 {100 * sd:.1f} {100 * ours.mean():.1f}" in text
    errors = f"{100 * expected.question_error:.1f} {100 * expected.run_error:.1f}"
    assert (
        f"se of questions se of runs W L Holm p {'-' * 10}" in text
        or "se of questions se of runs W L Holm p" in text
    )
    assert f" {errors} " in text
    assert "raw p over questions and runs" in text
    assert "caution: base.json has one run: " in text


def test_names_lists_and_several_baselines(folder: Path, command: Command) -> None:
    runs = "run={mine: [mine.0.json, mine.1.json]}"
    bases = "baseline={base: base.json, other: 'mine.[23].json'}"
    given = (runs, bases, "gold=gold.jsonl", "metric=full_sup", "k=1")
    assert command("compare", *given, "out=out.json", "explain=true")[0] == 0
    found = json.loads(Path("out.json").read_text())
    ours, theirs = values("mine.0.json", "mine.1.json"), values("mine.2.json", "mine.3.json")
    ps = [two_way(ours, values("base.json")).p, two_way(ours, theirs).p]
    assert [one["p"] for one in found] == ps
    assert sorted(one["p_holm"] for one in found) == pytest.approx(
        sorted([min(1, 2 * min(ps)), max(2 * min(ps), max(ps))])
    )
    assert set(found[1]["repeats"]) == {"mine", "other"}
    assert command("compare", *given, "out=table.tex")[0] == 0
    rows = [line for line in Path("table.tex").read_text().splitlines() if " & " in line]
    assert [row.split(" & ")[:2] for row in rows[1:3]] == [["mine", "base"], ["mine", "other"]]
    assert f"{100 * ours.mean(axis=0).std(ddof=1):.1f}" in " ".join(rows)
    assert command("compare", runs, "baseline=base.json", *given[2:], "out=one.tex")[0] == 0
    rows = [line for line in Path("one.tex").read_text().splitlines() if " & " in line]
    names = ["system", "base.json", "mine", "(mean of 2, sd)"]
    assert [row.split(" & ")[0] for row in rows] == names


def test_a_run_beside_repeats_keeps_its_exact_test(folder: Path, command: Command) -> None:
    runs = "run={mine: 'mine.*.json', one: mine.2.json}"
    given = (
        "baseline=base.json",
        "gold=gold.jsonl",
        "metric=full_sup",
        "k=1",
        "out=out.json",
    )
    status, said, _ = command("compare", runs, *given)
    assert status == 0
    repeated, once = json.loads(Path("out.json").read_text())
    assert "repeats" in repeated
    assert once["p"] == pytest.approx(binomtest(once["wins"], once["wins"] + once["losses"]).pvalue)
    assert "over questions and runs, for systems with several runs" in " ".join(said.split())


def test_in_python(folder: Path) -> None:
    gold, runs = harness.Gold.read("gold.jsonl"), [read(f"mine.{n}.json") for n in range(4)]
    (found,) = harness.compare({"mine": runs}, read("base.json"), gold, "full_sup@1")
    expected = two_way(values(*(f"mine.{n}.json" for n in range(4))), values("base.json"))
    assert (found.ruling.p, found["p"]) == (expected.p, expected.p)
    assert found.table().rows[0][2] == 4  # runs


def test_what_is_refused(folder: Path, command: Command) -> None:
    given = ("baseline=base.json", "gold=gold.jsonl")
    assert (
        command("compare", "run=no.*.json", *given)[2]
        == "error: no.*.json: no file matches the pattern\n"
    )
    for wrong in ("3", "{mine: []}", "{mine: {file: []}}", "[]", "[[mine.0.json]]", "null"):
        status, _, said = command("compare", f"run={wrong}", *given)
        assert (
            status,
            "expected a path, a list of paths, {name: path} or {name: [path, ...]}" in said,
        ) == (2, True), said
    Path("mine.9.json").write_text('{"other": {"b": 1}}')
    said = command("compare", "run=mine.*.json", *given)[2]
    assert "mine.9.json (run) and gold.jsonl have no query in common" in said
