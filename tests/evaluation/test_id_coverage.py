"""What runs, gold and corpus know of each other: refused where nothing, warned of below a half,
counted always.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.core.errors import HarnessError
from harness.evaluation.gold import Gold
from harness.evaluation.id_coverage import Coverage, check_known
from harness.evaluation.run_comparison import compare
from harness.evaluation.run_evaluation import evaluate
from harness.run import Run
from tests import process

GOLD = replace(
    Gold.from_dict({"q1": ["doc-1", "doc-2"], "q2": ["doc-3"], "q3": ["doc-4"]}), source="gold"
)


def run(**lists: list[str]) -> Run:
    return Run.from_dict(
        {query: {doc: -float(n) for n, doc in enumerate(docs)} for query, docs in lists.items()}
    )


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["DOC-1", "DOC-2"], "they differ in case"),
        (["doc -1"], "they differ in white space"),
        (["other"], "'other', the latter 'doc-1', 'doc-2', 'doc-3'; give files"),
    ],
)
def test_renamed_documents_are_refused_with_what_differs(names: list[str], words: str) -> None:
    with pytest.raises(
        HarnessError, match=r"^the run and gold have no document in common: the former has"
    ) as caught:
        evaluate(run(q1=names), GOLD, "recall@5")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("ours", "theirs", "words"),
    [
        ("caf\u0065\u0301", "caf\u00e9", "NFC"),
        ("7", "007", "how numbers are written"),
        ("7.0", "7", "numbers"),
    ],
)
def test_what_differs_in_unicode_and_numbers(ours: str, theirs: str, words: str) -> None:
    with pytest.raises(HarnessError, match=words):
        check_known(
            {"run": run(q1=[ours])}, replace(Gold.from_dict({"q1": [theirs]}), source="gold")
        )


def test_renamed_queries_are_refused() -> None:
    with pytest.raises(HarnessError, match=r"have no query in common: .*they differ in case"):
        evaluate(run(Q1=["doc-1"]), GOLD, "recall@5")
    with pytest.raises(HarnessError, match=r"no query in common: .*the latter 'q2'"):
        check_known(
            {"r": run(q9=["doc-1"])}, replace(Gold.from_dict({"q2": ["doc-1"]}), source="gold")
        )


def test_renamed_documents_are_not_22_wins_of_the_other_side() -> None:
    with pytest.raises(
        HarnessError, match=r"the baseline \(baseline\) and gold have no document in common"
    ):
        compare(
            run(q1=["doc-1"], q2=["doc-3"]), run(q1=["DOC-1"], q2=["DOC-3"]), GOLD, "full_sup@5"
        )


def test_a_run_that_found_nothing_under_the_same_ids_is_scored() -> None:
    found = compare(run(q1=["x"]), run(q1=["doc-1", "doc-2", "x"]), GOLD, "full_sup@5")
    assert (found.wins, found.losses, found.n) == (0, 1, 3)


def test_counts_by_hand() -> None:
    ranked = Run.from_dict({"q1": {"doc-1": 2.0, "x": 1.0}, "q2": {}, "q9": {"doc-3": 1.0}})
    found = Coverage.of(ranked, GOLD)
    assert found == Coverage(3, 1, 1, 1, gold_documents=4, found=2, run_documents=3)
    assert (found.missing, found.longest) == (2, 2)
    assert found.warnings() == ["1 of 3 questions have a list"]


def test_exactly_a_half_is_no_warning() -> None:
    half = Coverage.of(run(q1=["a"]), Gold.from_dict({"q1": ["a"], "q2": ["b"]}))
    assert (half.answered, half.found, half.few, half.warnings()) == (1, 1, False, [])
    assert half.lacking("r") == ["r has no list for 1 of 2 questions; these count as not found."]


def test_a_warning_stands_in_table_and_json() -> None:
    found = evaluate(run(q1=["doc-1"]), GOLD, "recall@5")
    lines = ["1 of 3 questions have a list", "1 of 4 gold documents are in its lists"]
    assert found["coverage"]["warnings"] == lines
    for text in (str(found), found._repr_html_(), found.latex()):
        assert all(f"the run: only {line}" in text for line in lines)


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return process.harness(*arguments, cwd=folder)


def said_by(folder: Path, *arguments: str) -> str:
    return " ".join(command(folder, *arguments).stdout.split())


def write(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content))


def test_commands_from_another_folder(tmp_path: Path) -> None:
    write(tmp_path / "gold.json", {"q1": {"d1": 1}, "q2": {"d2": 1}, "q3": {"d3": 1}})
    write(tmp_path / "good.json", {"q1": {"d1": 2.0, "d9": 1.0}, "q2": {}})
    write(tmp_path / "upper.json", {"q1": {"D1": 2.0}, "q2": {"D2": 1.0}})
    refused = command(tmp_path, "evaluate", "run=upper.json", "gold=gold.json", "metrics=recall")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        "error: upper.json and gold.json have no document in common: the former has 'D1', 'D2', "
        "the latter 'd1', 'd2', "
        "'d3'; they differ in case; give files with the same document ids\n"
    )
    pair = ("compare", "run=good.json", "baseline=upper.json", "metric=recall")
    refused = command(tmp_path, *pair, "gold=gold.json")
    assert refused.returncode == 2
    assert "upper.json (baseline) and gold.json have no document in common" in refused.stderr
    asked = ("evaluate", "run=good.json", "gold=gold.json", "metrics=recall", "out=out.json")
    done = command(tmp_path, *asked)
    assert done.returncode == 0
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["coverage"]["empty"] == 1
    assert found["notes"][:2] == [
        "good.json: only 1 of 3 questions have a list.",
        "good.json: only 1 of 3 gold documents are in its lists.",
    ]
    said = " ".join(done.stdout.split())
    assert "good.json: 1 of its lists are empty" in said
    assert all(said.count(note) == 1 for note in found["notes"])
    held = evaluate(str(tmp_path / "good.json"), str(tmp_path / "gold.json"), "recall@5")
    assert [note.replace(f"{tmp_path}/", "") for note in held.notes] == found["notes"]
    assert all(" ".join(str(held).split()).count(note) == 1 for note in held.notes)


def test_lists_to_fuse_share_documents_unless_it_is_said(tmp_path: Path) -> None:
    write(tmp_path / "a.json", {"q1": {"d1": 2.0}})
    write(tmp_path / "b.json", {"q1": {"d1 ": 2.0}})
    asked = ("fuse", "lists={a: a.json, b: b.json}", "fuser=rrf", "out=f.json")
    refused = command(tmp_path, *asked)
    assert refused.returncode == 2
    assert "lists.a and lists.b have no document in common" in refused.stderr
    assert "they differ in white space" in refused.stderr
    assert not (tmp_path / "f.json").exists()
    command(tmp_path, *asked, "disjoint=true")
    assert set(json.loads((tmp_path / "f.json").read_text())["q1"]) == {"d1", "d1 "}


def test_ids_that_resemble_those_of_the_other_side_are_counted(tmp_path: Path) -> None:
    """4 of 40 gold ids in NFD, d010 as D010, 7 as 007, quotes lost: the recall is of the rest, and
    a line says so.
    """
    plain = {f"q{n}": {f"d{n:03}": 2.0, "x": 1.0} for n in range(36)}
    cities = {f"c{n}": {f"Z\u00fcrich {n}": 1.0} for n in range(4)}
    write(tmp_path / "run.json", {**plain, **cities})
    gold = {query: {next(iter(docs)): 1} for query, docs in plain.items()}
    write(tmp_path / "nfd.json", gold | {f"c{n}": {f"Zu\u0308rich {n}": 1} for n in range(4)})
    asked = ("evaluate", "run=run.json", "metrics=recall")
    said = said_by(tmp_path, *asked, "gold=nfd.json")
    assert " 90.0" in said
    four = "4 gold documents are in no list; of these"
    assert f"{four} 4 differ in Unicode form (write both as NFC) alone" in said
    others = {"D010": "q10", '"d011"': "q11", "absent": "q12", "ZU\u0308RICH 1": "c1"}
    write(tmp_path / "case.json", gold | {query: {doc: 1} for doc, query in others.items()})
    said = said_by(tmp_path, *asked, "gold=case.json")
    assert f"{four} 1 differs in double quotes alone: '\"d011\"', 'd011'" in said
    more = "more than one of white space, quotes, Unicode form, case and zeros alone"
    assert f"1 differs in {more}" in said
    assert f"{four} 1 differs in case alone: 'D010', 'd010'" in said
    write(tmp_path / "zeros.json", {"q007": {"d": 1}, "8": {"d": 1}, "9": {"d": 1}})
    write(tmp_path / "r.json", {"q007": {"d": 1}, "8.0": {"d": 1}, "09": {"d": 1}})
    pair = ("compare", "run=r.json", "baseline=r.json", "metric=recall")
    said = said_by(tmp_path, *pair, "gold=zeros.json")
    two = "2 gold questions have no list; of these"
    assert f"{two} 2 differ in how numbers are written alone: '8', '8.0'" in said


def test_a_run_that_is_shorter_than_the_metric_looks_is_said_in_compare(tmp_path: Path) -> None:
    docs = {f"d{n}": 10.0 - n for n in range(9)}
    write(tmp_path / "long.json", {"q1": docs, "q2": docs})
    write(
        tmp_path / "cut.json",
        {query: dict(list(docs.items())[:n]) for query, n in (("q1", 3), ("q2", 2))},
    )
    write(tmp_path / "gold.json", {"q1": {"d1": 1}, "q2": {"d5": 1}})
    typed = ("compare", "run=cut.json", "baseline=long.json", "gold=gold.json", "metric=recall")
    said = " ".join(command(tmp_path, *typed, "k=7").stdout.split())
    told = "cut.json: no list has more than 3 documents, so recall@7 cannot look further."
    assert f"caution: {told}" in said
    assert "long.json: no" not in said
    assert "no list" not in command(tmp_path, *typed, "k=3").stdout
    files = [str(tmp_path / name) for name in ("cut.json", "long.json", "gold.json")]
    held = compare(files[0], files[1], files[2], "recall@7")
    assert [note.replace(f"{tmp_path}/", "") for note in held.notes] == [told]
    for shown in (str(held), str(compare(files[0], files[1], files[2], ["recall@7", "mrr"]))):
        assert "cannot look further" in shown
