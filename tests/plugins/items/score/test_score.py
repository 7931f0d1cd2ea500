"""Scores of any evaluation: real files of other tools, tables, clusters, and what is refused in one
line.
"""

from __future__ import annotations

import gzip
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import binomtest, permutation_test

import harness
from harness.core.errors import HarnessError
from harness.plugins.items.score.item_scores import read_scores
from tests.conftest import Command

MADE = Path(__file__).parent / "made"
PLAIN = ("em", [1, 1, 1, 1, 1, 1, 0, 0, 1, 0], [0, 0, 0, 0, 0, 0, 1, 0, 1, 0])
GRADED = (
    "rating",
    [5.0, 4.0, 4.5, 3.0, 5.0, 2.0, 4.0, 3.5],
    [3.0, 3.5, 4.5, 2.0, 2.0, 2.5, 3.0, 1.0],
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table(name: str, head: str, *columns: Any) -> None:
    lines = [head, *(",".join(map(str, row)) for row in zip(*columns, strict=True))]
    Path(name).write_text("".join(f"{line}\n" for line in lines))


def pair(head: str, ours: list[Any], theirs: list[Any], *more: list[Any]) -> None:
    items = [f"q{number}" for number in range(len(ours))]
    for name, scores in (("ours.csv", ours), ("theirs.csv", theirs)):
        table(name, head, items, scores, *more)


def compared(command: Command, *given: str) -> Any:
    status, _, said = command("compare", *given, "out=out.json")
    assert status == 0, said
    return json.loads(Path("out.json").read_text())


@pytest.mark.parametrize(
    ("run", "metric", "wins", "score"),
    [
        ("good.eval", "match", 5, 6 / 8),
        ("good.eval", "overlap", 5, 7 / 8),
        ("samples_good.jsonl", "exact_match/strict", 4, 5 / 8),
        ("samples_good.jsonl", "exact_match/flexible", 4, 6 / 8),
        ("ranx-good.json", "hit_rate@1", 5, 6 / 8),
        ("pytrec-good.json", "success_1", 5, 6 / 8),
        ("ranx-good.json", "ndcg@10", 5, None),
        ("pytrec-good.json", "ndcg_cut_10", 5, None),
    ],
)
def test_files_of_other_tools(
    folder: Path, command: Command, run: str, metric: str, wins: int, score: Any
) -> None:
    """See made/README.md; with each difference of one size, the permutation test is the
    sign test.
    """
    baseline = MADE / run.replace("good", "base").replace(".eval", ".json")
    found = compared(command, f"run={MADE / run}", f"baseline={baseline}", f"metric={metric}")
    assert (found["n"], found["wins"], found["losses"]) == (8, wins, 1)
    assert found["p"] == pytest.approx(binomtest(1, wins + 1).pvalue)
    assert score is None or found["score"] == score
    assert found["metric"] == metric


def test_a_log_s_metadata_gives_clusters(folder: Path, command: Command) -> None:
    """Items 2n and 2n + 1 are of document n: net wins by document 1, 2, 2, -1; 2 of 16 signs reach
    4 or more...
    """
    given = (f"run={MADE / 'good.eval'}", f"baseline={MADE / 'base.json'}", "metric=match")
    found = compared(command, *given, "columns={cluster: document}")
    assert (found["clusters"], found["largest_cluster"]) == (4, 2)
    nets = np.array([1, 2, 2, -1])
    signs = np.array(np.meshgrid(*[[-1, 1]] * 4)).reshape(4, -1)
    expected = (np.abs(nets @ signs) >= 4).mean()
    assert found["p_cluster"] == pytest.approx(expected)
    assert found["p_holm"] == pytest.approx(expected)


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "jsonl.gz", "parquet", "json"])
def test_a_table_in_every_form(folder: Path, command: Command, form: str) -> None:
    name, ours, theirs = PLAIN
    for system, scores in (("ours", ours), ("theirs", theirs)):
        rows = [{"uid": f"q{n}", name: score, "model": "m"} for n, score in enumerate(scores)]
        path = folder / f"{system}.{form}"
        text = "\n".join(map(json.dumps, rows))
        match form:
            case "jsonl":
                path.write_text(text)
            case "jsonl.gz":
                path.write_bytes(gzip.compress(text.encode()))
            case "parquet":
                pq.write_table(pa.Table.from_pylist(rows), path)
            case "json":
                path.write_text(json.dumps({row["uid"]: row[name] for row in rows}))
            case _:
                lines = [",".join(rows[0]), *(",".join(map(str, r.values())) for r in rows)]
                path.write_text("\n".join(lines).replace(",", "\t" if form == "tsv" else ","))
    columns = () if form == "json" else ("columns={item: uid}",)
    found = compared(command, f"run=ours.{form}", f"baseline=theirs.{form}", *columns)
    assert (found["wins"], found["losses"], found["test"]) == (6, 1, "exact McNemar")
    assert found["p"] == pytest.approx(binomtest(1, 7).pvalue)
    assert found["metric"] == ("score" if form == "json" else name)
    assert found["wins_ids"] == [f"q{n}" for n in range(6)]
    assert found["wilson"] is not None


def test_scores_that_are_no_shares(folder: Path, command: Command) -> None:
    """The exact permutation test of SciPy; in the ratings' own unit, in text, LaTeX and figure."""
    name, ours, theirs = GRADED
    pair(f"item,{name}", ours, theirs)
    line = ["compare", "run={new: ours.csv}", "baseline={old: theirs.csv}"]
    status, said, _ = command(*line, "out=out.json")
    found = json.loads(Path("out.json").read_text())
    assert status == 0
    exact = {"permutation_type": "samples", "n_resamples": np.inf}
    oracle = permutation_test((np.subtract(ours, theirs),), np.mean, **exact)
    assert found["p"] == pytest.approx(oracle.pvalue)
    assert (found["test"], found["difference"]) == ("sign-flip permutation", pytest.approx(9.5 / 8))
    assert found["wilson"] is found["odds_ratio"] is None
    lines = " ".join(said.split())
    assert "Against old, more is better: 8 items run metric score baseline" in lines
    assert "new rating 3.875 2.688 +1.19" in lines
    assert "By rating new is better than old (+1.19, 95% +" in lines
    assert command(*line, "out=t.tex")[0] == 0
    text = " ".join(Path("t.tex").read_text().split())
    sign = r"\textsuperscript{\ensuremath{\ddagger}}"
    space = rf"\phantom{{{sign}}}"
    best = rf"\textbf{{3.875}}\rlap{{{sign}}}{space}"
    assert rf"old & 2.688{space} \\ \midrule new & {best} \\" in text
    assert "rating: 8 items." in text


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ([0.5, 0.7, 0.2], [0.1, 1.5, 0.3]),
        ([0.5, 0.7, 0.2], [3.0, 1.5, 2.0]),
        ([0.5, -0.1, 0.2], [0.1, 0.5, 0.3]),
    ],
)
def test_one_score_outside_0_to_1_makes_all_of_them_numbers(
    folder: Path, command: Command, ours: list[float], theirs: list[float]
) -> None:
    pair("item,f1", ours, theirs)
    said = command("compare", "run=ours.csv", "baseline=theirs.csv")[1]
    assert "more is better" in said
    assert "percent" not in said
    assert "points" not in said


def test_clusters_decide_and_several_baselines_are_corrected(
    folder: Path, command: Command
) -> None:
    """Twins: each cluster wins or loses as one, so by cluster it is a test of five, not of ten."""
    pair("item,score,cluster", [1] * 10, [0] * 10, [n // 2 for n in range(10)])
    table("third.csv", "item,score", [f"q{n}" for n in range(10)], [1, 1] + [0] * 8)
    found = compared(command, "run=ours.csv", "baseline=[theirs.csv,third.csv]")
    assert [one["p"] for one in found] == pytest.approx([2 / 2**10, 2 / 2**8])
    assert [one["p_cluster"] for one in found] == pytest.approx([2 / 2**5, 2 / 2**4])
    assert [one["p_holm"] for one in found] == pytest.approx([2 * 2 / 2**5, 2 / 2**4])
    said = command("compare", "run=ours.csv", "baseline=theirs.csv")[1]
    assert "Against theirs.csv, in percent: 10 items in 5 clusters" in said
    assert "p and intervals by cluster." in said
    assert "p by cluster .062" in " ".join(said.split())


REFUSED = """\
item,score a,1 |  | theirs.csv:3: item b has no score in ours.csv, which lacks 1 of 2 (b); score
item,score a,1 b,0 c,1 |  | ours.csv:4: item c has no score in theirs.csv, which lacks 1 of 3 (c)
item,score a,1 b,0 a,0 |  | ours.csv:4: item a has a score at ours.csv:2 already; keep one, or
item,score a,1 b,nan |  | ours.csv:3: item b has no score; score every item in every
item,score a,1 b,1e151 |  | ours.csv:3: item b: score must be a finite number, at most 1e150
item,score a,1 b,1 | missing=mean | missing=mean is not known; known: drop, zero
item,score c,1 | missing=drop | theirs.csv: no item has a score in every file; nothing is left
item,score a,right b,1 |  | ours.csv:2: item a: score must be a finite number, at most 1e150
item,score a,1 b |  | ours.csv:3: expected 2 fields, as the head has
uid,score a,1 |  | ours.csv:2: no column item (or id, query, qid); name yours: 'columns={item: ...
item,em,f1 a,1,1 b,1,0 |  | ours.csv: expected one metric, found em, f1; choose with metric=em or
item,em,f1 a,1, b,1,0 |  | ours.csv: expected one metric, found em, f1; choose with metric=em or
item,word a,yes b,no |  | ours.csv: expected a metric, a column of numbers; found word
item,em a,1 b,1 | metric=emm | ours.csv: metric emm is not there (did you mean em?); found em
item,em a,1 b,1 |  | theirs.csv has the metric score and ours.csv has em; choose one of both
item,score a,1 b,1 | k=10 | does not use k=10: it is of ranked lists, which need gold=queries.jsonl
item,score a,1 b,1 | columns={doc:x} | columns=doc is not known; known: item, score, cluster, run
item,score,cluster a,1,x b,1, |  | ours.csv:3: item b has no cluster; give each one, or none
item,score,seed a,1,0 a,1,1 b,1,0 |  | ours.csv:4: item b has no score of run 1; score every item
 |  | ours.csv: there are no scores
"""
"""The lines of a file (blanks part them), a further argument, and what the message has."""


@pytest.mark.parametrize("row", REFUSED.splitlines())
def test_what_is_refused_in_one_line(folder: Path, command: Command, row: str) -> None:
    ours, given, message = (part.strip() for part in row.split("|"))
    Path("ours.csv").write_text("".join(f"{line}\n" for line in ours.split()))
    Path("theirs.csv").write_text("item,score\na,1\nb,0\n")
    line = ["compare", "run=ours.csv", "baseline=theirs.csv", "out=x.json"]
    status, _, said = command(*line, *given.split())
    assert (status, said.count("\n")) == (2, 1), said
    assert message in said
    assert not Path("x.json").exists()


LOG = b'{"eval": {}, "status": "success", "samples": [%s]}'


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.trec", b"q Q0 d 1 1 s\n", "a.trec: expected scores in a table (.csv"),
        ("a.json", b"[1]", "a.json: expected {item: score}, {item: {metric: score}}"),
        (
            "a.json",
            b'{"q": 1, "r": {"em": 1}}',
            "a.json: q = '1', expected a valid dictionary of scores, as the others",
        ),
        ("a.json", b'{"q": {"d": 1, "e": 2}, "r": {"f": 2}}', "ranked lists, give gold=queries"),
        ("a.json", LOG % b'{"scores": {"m": 1}}', "0.scores.m = '1', expected"),
        ("a.json", LOG % b'"x"', "0 = 'x', expected a valid dictionary"),
        ("a.eval", b"PK", "a.eval: no log of inspect_ai that was finished"),
        ("a.jsonl", b'[{"item": 1}]', "a.jsonl: a JSON array; expected one JSON object a line"),
        ("a.parquet", b"PAR1", "a.parquet: no readable Parquet file"),
        ("none.csv", None, "none.csv: there is no such file"),
    ],
)
def test_files_that_are_no_scores(
    folder: Path, command: Command, name: str, content: bytes, message: str
) -> None:
    if content is not None:
        Path(name).write_bytes(content)
    Path("b.csv").write_text("item,score\na,1\n")
    status, _, said = command("compare", f"run={name}", "baseline=b.csv")
    assert (status, message in said, said.count("\n")) == (2, True, 1), said


def test_an_older_log_is_packed_as_zip_files_are(folder: Path) -> None:
    made = json.loads((MADE / "base.json").read_text())
    with zipfile.ZipFile("old.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"status": "success"}))
        archive.writestr("summaries.json", json.dumps(made["samples"]))
    paths = ("old.eval", MADE / "base.json")
    old, new = (read_scores(path, ["match"])["match"] for path in paths)
    assert (old.items, old.values.tolist()) == (new.items, new.values.tolist())


def test_a_log_that_did_not_end_is_refused(folder: Path, command: Command) -> None:
    log = json.loads((MADE / "base.json").read_text())
    Path("log.json").write_text(json.dumps({**log, "status": "error"}))
    line = ["compare", "run=log.json", f"baseline={MADE / 'base.json'}", "metric=match"]
    status, _, said = command(*line)
    assert (status, "log.json: the log says status error" in said) == (2, True)
    log["samples"][2]["scores"] = {}
    Path("log.json").write_text(json.dumps(log))
    assert "log.json: sample item2, epoch 1: item item2 has no match; score" in command(*line)[2]


def test_missing_scores_are_left_out_or_count_as_0(folder: Path, command: Command) -> None:
    """Of six items ours has none of q4 (empty) and q5 (no row), theirs none of q0: 2 wins and 1
    loss are left of 3.
    """
    Path("ours.csv").write_text("item,score,cluster\nq0,1,a\nq1,1,b\nq2,1,c\nq3,0,d\nq4,,e\n")
    Path("theirs.csv").write_text(
        "item,score,cluster\nq0,nan,a\nq1,0,b\nq2,0,c\nq3,1,d\nq4,1,e\nq5,1,f\n"
    )
    given = ("compare", "run=ours.csv", "baseline=theirs.csv", "out=out.json")
    refused = command(*given)[2]
    assert "theirs.csv:2: item q0 has no score; score every item in every file, or" in refused
    assert "missing=drop" in refused
    assert "missing=zero" in refused
    status, said, _ = command(*given, "missing=drop")
    found, text = json.loads(Path("out.json").read_text()), " ".join(said.split())
    assert (status, *map(found.get, ("n", "wins", "losses", "clusters"))) == (0, 3, 2, 1, 3)
    assert found["missing"] == {"rule": "drop", "lacks": {"theirs.csv": 1, "ours.csv": 2}}
    assert "3 items in 3 clusters, 3 more without a score left out" in text
    assert "left out: theirs.csv lacks 1 (q0); ours.csv lacks 2 (q4, q5)." in text
    status, said, _ = command(*given, "missing=zero")
    found, text = json.loads(Path("out.json").read_text()), " ".join(said.split())
    assert (status, *map(found.get, ("n", "wins", "losses", "clusters"))) == (0, 6, 3, 3, 6)
    assert "6 items in 6 clusters, 3 missing scores counted as 0" in text
    told = harness.compare_scores({"a": -1.0, "b": -2.0}, {"a": -1.0}, missing="zero")
    assert told.notes[1] == "Some scores are below 0, so a missing one counts as better."


def test_ranked_lists_have_no_missing_scores(folder: Path, command: Command) -> None:
    Path("gold.jsonl").write_text('{"id": "q", "supporting_ids": ["a"]}\n')
    Path("a.trec").write_text("q Q0 a 1 1 s\n")
    line = ("compare", "run=a.trec", "baseline=a.trec", "gold=gold.jsonl", "missing=drop")
    status, _, said = command(*line)
    assert status == 2
    assert "this command does not use missing=drop" in said


def test_rows_in_another_order_are_the_same(folder: Path, command: Command) -> None:
    pair("item,score", GRADED[1], GRADED[2])
    first = compared(command, "run=ours.csv", "baseline=theirs.csv")
    head, *lines = Path("ours.csv").read_text().splitlines()
    Path("ours.csv").write_text("\n".join([head, *reversed(lines)]))
    assert compared(command, "run=ours.csv", "baseline=theirs.csv") == first


def test_a_second_file_of_a_system_with_another_metric(folder: Path, command: Command) -> None:
    for name, metric in (("one", "em"), ("two", "f1"), ("base", "em")):
        table(f"{name}.csv", f"item,{metric}", ["a", "b"], [1, 0])
    status, _, said = command("compare", "run={mine: [one.csv, two.csv]}", "baseline=base.csv")
    assert status == 2
    assert "base.csv has the metric em and two.csv has f1; choose one of both" in said


def test_a_named_metric_goes_before_a_column_called_score(folder: Path) -> None:
    table("one.csv", "item,score,em", ["a", "b"], [0.25, 0.75], [1, 0])
    assert list(read_scores("one.csv")) == ["score"]
    assert read_scores("one.csv", ["em"])["em"].values.ravel().tolist() == [1, 0]


def test_bold_is_what_beats_all_it_was_compared_with(folder: Path, command: Command) -> None:
    """The system wins 10 of 10 against one baseline and differs from the other nowhere."""
    for name, values in (("mine", [1] * 10), ("weak", [0] * 10), ("same", [1] * 10)):
        table(f"{name}.csv", "item,em,f1", list("abcdefghij"), values, values)
    line = ["compare", "run={mine: mine.csv}", "metric=[em,f1]", "out=t.tex"]
    assert command(*line, "baseline={weak: weak.csv}")[0] == 0
    bold = [line for line in Path("t.tex").read_text().splitlines() if r"\textbf" in line]
    assert [line.split(" & ")[0] for line in bold] == ["mine"]
    _, *cells = bold[0].split(" & ")
    assert all(cell.startswith(r"\textbf{100.0}") for cell in cells)
    assert command(*line, "baseline={weak: weak.csv, same: same.csv}")[0] == 0
    assert r"\textbf" not in Path("t.tex").read_text()


def test_in_python(folder: Path) -> None:
    shutil.copy(MADE / "good.eval", "good.eval")
    found = harness.compare_scores("good.eval", MADE / "base.json", "match")
    assert (found.wins, found.losses, found["p"]) == (5, 1, pytest.approx(binomtest(1, 6).pvalue))
    told = harness.compare_scores({"a": 1, "b": 1, "c": 0}, {"a": 0, "b": 1, "c": 0})
    assert (told.wins, told.n, told.ids[0]) == (1, 3, "a")
    assert not told.fusable  # systems in general, not ranked lists
    assert "Against the baseline, in percent: 3 items" in str(told)
    with pytest.raises(HarnessError, match="the run: there are no scores"):
        harness.compare_scores({}, {"a": 0})
    twice = read_scores(MADE / "twice.eval", ["match"])["match"].values
    assert twice.sum(axis=0).tolist() == [6, 4]
