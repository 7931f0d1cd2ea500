"""`harness compare`: published wins and losses, several runs at once, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binomtest

from harness.command.compare import run
from harness.core.configuration.composition import compose
from harness.core.errors import HarnessError
from harness.core.table.format import p_value
from tests.conftest import Command
from tests.world.folder import write_runs

KEYS = {
    "metric",
    "k",
    "n",
    "run",
    "baseline",
    "wins",
    "losses",
    "p",
    "wilson",
    "odds_ratio",
    "wins_ids",
    "losses_ids",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """66 queries with gold b after a: the baseline finds the last hop of 26, ours of 49 (PG Table
    4).
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text(
        "\n".join(f"q{number:02} 0 {doc}q{number:02} 1" for number in range(66) for doc in "ab")
    )
    found = {"dense": range(26), "ours": range(49), "none": (), "other": range(40, 66)}
    return write_runs(tmp_path, found)


def compared(*overrides: str) -> Any:
    run(
        compose(
            "compare", ["baseline=dense.json", "gold=queries.jsonl", "out=out.json", *overrides]
        )
    )
    return json.loads(Path("out.json").read_text())


def test_published_comparison(folder: Path) -> None:
    found = compared("run=ours.json", "metric=last_hop", "k=5")
    assert set(found) >= KEYS
    assert (found["metric"], found["k"], found["n"], found["run"], found["baseline"]) == (
        "last_hop",
        5,
        66,
        "ours.json",
        "dense.json",
    )
    assert (found["wins"], found["losses"]) == (23, 0)
    assert found["p"] == 2 / 2**23
    assert [round(100 * end, 1) for end in found["wilson"]] == [62.6, 83.3]
    assert round(found["odds_ratio"], 2) == 4.43
    assert found["wins_ids"] == [f"q{number}" for number in range(26, 49)]
    assert found["losses_ids"] == []
    assert found["difference"] == pytest.approx(23 / 66)
    assert (found["decides"], found["p_cluster"]) == ("by question", None)
    assert found["difference_interval_cluster"] == found["difference_interval"]
    low, high = found["difference_interval"]
    assert 0 < low < 23 / 66 < high < 1
    for end, z in (
        (low, 1.959964),
        (high, -1.959964),
    ):  # Tango's score at the ends, losses 0: p21 solves 2n x^2 + b x = 0
        b = -23 + 2 * 66 * end - 23 * end
        p21 = max(0.0, ((b * b) ** 0.5 - b) / (4 * 66))
        assert (23 - 66 * end) / (66 * (2 * p21 + end * (1 - end))) ** 0.5 == pytest.approx(
            z, abs=0.02
        )


def test_several_runs_metrics_and_depths_are_corrected_together(folder: Path) -> None:
    found = compared("run={ours: ours.json, none: none.json}", "metric=[last_hop,ndcg]", "k=[1,5]")
    assert [(row["metric"], row["k"]) for row in found[:2]] == [("last_hop", 1), ("last_hop", 5)]
    assert [row["name"] for row in found] == ["ours"] * 4 + ["none"] * 4
    assert len(found) == 8
    surest = min(found, key=lambda row: row["p"])
    assert surest["p_holm"] == pytest.approx(8 * surest["p"])
    assert (found[4]["wins"], found[4]["losses"]) == (0, 26)
    assert found[2]["wilson"] is found[2]["odds_ratio"] is None


def clustered(sizes: list[int], won: int, lost: int) -> None:
    """Queries that share a gold passage within a cluster; of the first clusters' all are won, of
    the next all lost.
    """
    names = [
        (f"q{cluster}-{place}", cluster)
        for cluster, size in enumerate(sizes)
        for place in range(size)
    ]
    gold = [{"id": name, "supporting_ids": [f"s{cluster}", f"g{name}"]} for name, cluster in names]
    Path("shared.jsonl").write_text("\n".join(map(json.dumps, gold)))
    for system, hit in (
        ("a", lambda cluster: cluster < won),
        ("b", lambda cluster: won <= cluster < won + lost),
    ):
        lists = {name: {f"g{name}" if hit(cluster) else "x": 1.0} for name, cluster in names}
        Path(f"{system}.json").write_text(json.dumps(lists))


def test_clusters_of_shared_gold_decide(folder: Path, command: Command) -> None:
    """40 clusters of 3 queries, 4 won and 1 lost as a whole: by question 12/3, p .035; by cluster
    4/1, p .375.
    """
    clustered([3] * 40, 4, 1)
    given = ("run=a.json", "baseline=b.json", "gold=shared.jsonl")
    status, said, _ = command("compare", *given, "out=out.json", "explain=true")
    found = json.loads(Path("out.json").read_text())
    assert (status, found["p"]) == (0, pytest.approx(binomtest(3, 15).pvalue))
    assert (found["decides"], found["p_cluster"], found["p_holm"]) == (
        "by cluster",
        *[pytest.approx(12 / 32)] * 2,
    )
    low, high = found["difference_interval_cluster"]
    assert low < 0 < 9 / 120 < high
    assert found["difference_interval"][0] > 0
    text = " ".join(said.split())
    assert "Holm p and intervals by cluster" in text
    assert "12 won, 3 lost, p by cluster .375)." in text
    assert "p by question" in text
    assert ".035" in text
    assert command("compare", *given, "out=t.tex")[0] == 0
    table = Path("t.tex").read_text()
    assert "dagger" not in table
    assert "bfseries" not in table


def test_too_few_clusters_have_no_p(folder: Path, command: Command) -> None:
    """12 clusters of 20, of which 4 are won and none lost: by query p is 2 / 2^80."""
    clustered([20] * 12, 4, 0)
    given = ("run=a.json", "baseline=b.json", "gold=shared.jsonl")
    status, said, _ = command("compare", *given, "out=out.json", "explain=true")
    found = json.loads(Path("out.json").read_text())
    assert (status, found["decides"], found["p"]) == (0, "too few clusters", 2 / 2**80)
    assert found["p_cluster"] is found["p_holm"] is found["difference_interval_cluster"] is None
    text = " ".join(said.split())
    assert "80 won, 0 lost; 12 clusters of 240 questions are too few for a p)." in text
    both = ("run={a: a.json, c: a.json}", "baseline=b.json", "gold=shared.jsonl", "out=t.tex")
    assert command("compare", both[0].replace("c: a", "c: b"), *both[1:])[0] == 0
    assert "bfseries" not in Path("t.tex").read_text()


def test_a_run_against_itself(folder: Path) -> None:
    found = compared("run=dense.json")
    assert (found["wins"], found["losses"], found["p"], found["odds_ratio"]) == (0, 0, 1, 1)


def test_a_file_is_not_compared_with_itself_under_another_name(folder: Path) -> None:
    found = compared("run=[ours.json,dense.json]", "baseline={first: dense.json}")
    assert (found["baseline"], found["p_holm"]) == ("first", found["p"])


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["run=ours.json", "gold=qrels.txt"], "qrels.txt: no question has a known hop order"),
        (["run=strange.json"], "strange.json (run) and queries.jsonl have no query in common"),
        (
            ["run=ours.json", "baseline=strange.json"],
            "(baseline) and queries.jsonl have no query in common",
        ),
        (["run=ours.json", "metric=hit"], "metric hit@5 is not known (did you mean success?)"),
        (["run=[ours.json,ours.json]"], "a file is repeated"),
        (
            ["run={seeds: '*s*.json'}"],
            "dense.json is in baseline=dense.json, too; give patterns and lists without",
        ),
        (
            ["run={mine: [ours.json, none.json]}"],
            "mine: expected one run with gold=, got ours.json",
        ),
        (["run=no.*.json"], "no.*.json: no file matches the pattern"),
        (["run={mine: []}"], "expected a path, a list of paths, {name: path}"),
        (["run=[[ours.json]]"], "expected a path, a list of paths, {name: path}"),
        ([], "run: no value is given"),
    ],
)
def test_what_is_refused(folder: Path, overrides: list[str], words: str) -> None:
    (folder / "strange.json").write_text('{"other": {"a": 1}}')
    with pytest.raises(HarnessError) as caught:
        compared(*overrides)
    assert words in str(caught.value)
    assert not Path("out.json").exists()


def test_qrels_serve_metrics_without_order(folder: Path) -> None:
    found = compared("run=ours.json", "gold=qrels.txt", "metric=mrr")
    assert (found["k"], found["wins"]) == (None, 23)


def test_it_ends_with_what_won_and_by_how_much(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """49 of 66 against 26 of 66: 74.2% and 39.4%, 34.8 points; as good as equal: nothing shown."""
    compared("run=ours.json", "metric=last_hop", "k=5")
    said = " ".join(capsys.readouterr().out.split())
    verdict = "By last_hop@5 ours.json is better than dense.json (+34.8 points"
    assert verdict in said
    assert "; 23 won, 0 lost, p <.001)." in said
    compared("run=dense.json", "metric=last_hop", "k=5")
    same = capsys.readouterr().out
    assert "By last_hop@5 dense.json is equal to dense.json on every question (39.4%)." in same
    assert "+0.0 to" not in same  # nothing was seen to vary, so there is no interval


def test_headroom_of_the_runs_that_are_compared(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """dense finds 0 to 25, other 40 to 65 and ours 0 to 48: dense has nothing that ours lacks,
    other has 49 to 65.
    """
    found = compared("run={ours: ours.json, other: other.json}")
    short = " ".join(capsys.readouterr().out.split())
    assert "other could add something to ours by last_hop@5 on 17 of 66 questions." in short
    assert "headroom" not in short
    compared("run={ours: ours.json, other: other.json}", "explain=true")
    expected = {"best": "ours", "wins": {"dense.json": 0, "other": 17}, "questions": 17}
    for one in found:
        assert {key: one["headroom"][key] for key in expected} == expected
        assert (one["headroom"]["oracle"], one["headroom"]["score"]) == (1.0, 49 / 66)
    said = " ".join(capsys.readouterr().out.split())
    assert "last_hop@5 ours 74.2 100.0 dense.json 0, other 17 17 <.001" in said


def test_several_baselines_in_one_family(folder: Path, command: Command) -> None:
    """ours finds 0 to 48, other 40 to 65, dense 0 to 25, none nothing; p of W wins and no loss is 2
    / 2^W.
    """
    runs, bases = (
        "run={ours: ours.json, dense: dense.json}",
        "baseline={dense: dense.json, other: other.json}",
    )
    status, said, _ = command("compare", runs, bases, "gold=queries.jsonl", "out=out.json")
    assert status == 0
    found = json.loads(Path("out.json").read_text())
    assert [(one["name"], one["baseline"], one["wins"], one["losses"]) for one in found] == [
        ("ours", "dense", 23, 0),
        ("ours", "other", 40, 17),
        ("dense", "other", 26, 26),
    ]
    assert found[0]["p_holm"] == pytest.approx(3 * 2 / 2**23)
    assert found[1]["p_holm"] == pytest.approx(2 * found[1]["p"])
    lines = [line.split() for line in said.splitlines()]
    rows = {tuple(line[:2]): line[-3:] for line in lines if line}
    assert rows["ours", "dense"] == ["23", "0", "<.001"]
    assert rows["ours", "other"] == ["40", "17", p_value(2 * found[1]["p"])]
    assert rows["dense", "other"] == ["26", "26", "1.000"]
    assert "p by question" not in said
    assert (
        "p by question" in command("compare", runs, bases, "gold=queries.jsonl", "explain=true")[1]
    )
    status, _, said = command("compare", runs, "baseline={dense: other.json}", "gold=queries.jsonl")
    assert (status, said) == (
        2,
        "error: dense is dense.json in run and other.json in baseline; give one another name\n",
    )


def test_a_paper_s_table_of_systems_by_metrics(folder: Path) -> None:
    """ours is better than dense (23/0), none is worse (0/26); against itself or a copy nothing is
    shown.
    """
    (folder / "copy.json").write_text((folder / "dense.json").read_text())
    runs = "run={ours: ours.json, empty: none.json, copy: copy.json}"
    run(
        compose(
            "compare",
            [
                runs,
                "baseline={dense: dense.json}",
                "gold=queries.jsonl",
                "metric=[last_hop,mrr]",
                "k=5",
                "out=made/table.tex",
            ],
        )
    )
    text = Path("made/table.tex").read_text()
    rows = {line.split(" & ")[0]: line for line in text.splitlines() if " & " in line}
    better, worse = (rf"\textsuperscript{{{sign}}}" for sign in (r"\ensuremath{\ddagger}", "§"))
    space = rf"\phantom{{{better}}}"
    assert rows["dense"] == rf"dense & 39.4{space} & 39.4{space} \\"
    cells = [rf"\textbf{{74.2}}\rlap{{{better}}}{space}", rf"0.0\rlap{{{worse}}}{space}"]
    assert rows["ours"] == rf"ours & {cells[0]} & {cells[0]} \\"
    assert rows["empty"] == rf"empty & {cells[1]} & {cells[1]} \\"
    assert rows["copy"] == rf"copy & 39.4{space} & 39.4{space} \\"
    assert r"\label{tab:table}" in text
    assert r"\ensuremath{\ddagger} better than dense, § worse than dense" in " ".join(text.split())
    assert "odds" in Path("made/table-appendix.tex").read_text()
    run(
        compose(
            "compare",
            ["run=copy.json", "baseline=dense.json", "gold=queries.jsonl", "out=made/table.tex"],
        )
    )
    text = Path("made/table.tex").read_text()
    assert "textbf" not in text
    assert "No difference is significant." in text


def test_runs_by_metrics_are_read_in_a_minute(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two runs by four metrics: eight rows, a sentence each of what is better and of what fusion
    can gain.
    """
    monkeypatch.setenv("COLUMNS", "100")
    (folder / "deep").mkdir()
    (folder / "deep" / "dense.json").write_text((folder / "dense.json").read_text())
    metrics, k = "metric=[last_hop,full_sup,recall,ndcg]", "k=5"
    given = (
        "compare",
        "run=[ours.json,deep/dense.json]",
        "baseline=dense.json",
        "gold=queries.jsonl",
        metrics,
        k,
    )
    status, said, _ = command(*given)
    assert status == 0
    lines = said.splitlines()
    assert max(map(len, lines)) <= 100
    first = next(place for place, line in enumerate(lines) if line.startswith("---")) + 1
    rows, rest = lines[first : first + 8], lines[first + 8 :]
    assert [line.split()[0] for line in rows] == [*["ours.json"] * 4, *["deep/dense.json"] * 4]
    assert rest[0] == ""
    prose = " ".join(" ".join(rest[1:]).split())
    assert prose.startswith("ours.json: only 49 of 132 gold documents are in its lists. ")
    prose = prose[prose.index("By last_hop@5 ours.json (+34.8 points) ") :]
    assert " no difference is shown in " in prose
    assert "Choosing" not in prose  # dense has nothing that ours lacks
    assert prose.partition("caution: ")[0].count(". ") <= 2
    whole = command(*given, "explain=true")[1]
    told = " ".join(whole.split()).split(". ")
    assert len(told) == len(set(told)) > 8


def test_explain_is_true_or_false(folder: Path, command: Command) -> None:
    status, _, said = command(
        "compare", "run=ours.json", "baseline=dense.json", "gold=queries.jsonl", "explain=all"
    )
    assert (status, said) == (2, "error: explain=all: expected true or false, got all\n")


def test_a_run_that_is_the_baseline_under_another_name(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It has no row against itself, which is said; a list of paths has one name a file."""
    found = compared("run={mine: dense.json, ours: ours.json}", "metric=last_hop", "k=5")
    assert found["run"] == "ours.json"
    assert "run mine is the file of baseline dense.json" in caplog.text
    caplog.clear()
    compared("run=[dense.json,ours.json]", "metric=last_hop", "k=5")
    assert "is the file of baseline" not in caplog.text
