"""A board by the command line: begun, submitted to, checked and built."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import pytrec_eval
import yaml

import harness as package
from harness.core.concepts import package_folder
from tests import warm

Command = Callable[..., tuple[int, str, str]]
CARD = (
    "card={version: 1, code: closed, encoder: none, language_models: [], trained_on: [nq/train], "
    "fitted_on: [tiny/tune], cost: none, licence: MIT}"
)


def harness(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return warm.harness(*arguments, cwd=cwd)


def content(page: Path) -> Any:
    """The data in a page."""
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', page.read_text(), re.S)
    assert found is not None
    return json.loads(found[1])


def last_hop(run: str, queries: str, split: str) -> float:
    """LastHop@5 of the text of a run file, by hand."""
    ranked: dict[str, list[tuple[float, str]]] = {}
    for line in run.splitlines():
        query, _, doc, _, score, _ = line.split()
        ranked.setdefault(query, []).append((-float(score), doc))
    hits = []
    for line in queries.splitlines():
        row = json.loads(line)
        if package.md5_split(row["id"]) == split:
            hits.append(row["supporting_ids"][-1] in [doc for _, doc in sorted(ranked[row["id"]])[:5]])
    return sum(hits) / len(hits)


def by_pytrec_eval(run: str, queries: str, split: str) -> dict[str, float]:
    """Recall@5 and nDCG@10 of the text of a run file."""
    judged = [json.loads(line) for line in queries.splitlines()]
    qrels = {
        row["id"]: dict.fromkeys(row["supporting_ids"], 1) for row in judged if package.md5_split(row["id"]) == split
    }
    ranked: dict[str, dict[str, float]] = {}
    for query, _, doc, _, score, _ in map(str.split, run.splitlines()):
        ranked.setdefault(query, {})[doc] = float(score)
    found = pytrec_eval.RelevanceEvaluator(qrels, {"recall.5", "ndcg_cut.10"}).evaluate(ranked).values()
    names = {"recall@5": "recall_5", "ndcg@10": "ndcg_cut_10"}
    return {title: sum(one[name] for one in found) / len(qrels) for title, name in names.items()}


def _graph(bench: Path) -> float:
    return last_hop((bench / "graph.trec").read_text(), (bench / "queries.jsonl").read_text(), "test")


def test_from_a_run_file_to_pages(bench: Path, tmp_path: Path) -> None:
    """All by the real command line, in a folder that has nothing but the benchmark and a run."""
    shutil.copytree(bench, tmp_path / "tiny")
    begun = harness("board", "init", "exchange", "benchmarks=[tiny]", cwd=tmp_path)
    assert begun.returncode == 0, begun.stderr
    assert begun.stdout.split() == [
        f"exchange/{name}"
        for name in ("board.yaml", "README.md", ".github/workflows/check.yml", "submissions/.gitkeep", ".gitignore")
    ]
    first = ["submit", "mine", "run=tiny/graph.trec", "dataset=folder", "dataset.path=tiny"]
    where = "out=exchange/submissions/mine"
    made = harness(*first, where, "card.licence=MIT", "depth=20", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "exchange/submissions/mine: lists for 40 of 40 questions of tiny" in made.stdout
    assert made.stdout.count("missing in card.yaml: ") == 7
    incomplete = harness("board", "check", "exchange", cwd=tmp_path)
    assert incomplete.returncode == 2
    assert (
        "refused  mine: mine/card.yaml: no value for version; implementation: source: repository" in incomplete.stdout
    )
    assert incomplete.stderr == "error: exchange: 1 submissions are refused (mine); mend or remove them\n"
    again = harness(*first, where, CARD.replace(", licence: MIT", ""), "depth=20", cwd=tmp_path)
    assert "missing" not in again.stdout
    checked = harness("board", "check", "exchange", cwd=tmp_path)
    share, n = _graph(bench), sum(package.md5_split(f"q{number}") == "test" for number in range(40))
    assert checked.stdout == f"scored   mine: tiny test, {n} questions, last_hop@5 {100 * share:.1f}%\n"
    built = harness("board", "build", "exchange", "out=pages", cwd=tmp_path)
    assert built.stdout.split() == ["pages/tiny.html", "pages/index.html"]
    card = yaml.safe_load((tmp_path / "exchange/submissions/mine/card.yaml").read_text())
    assert card["data"]["training data"] == [{"name": "nq", "split": "train"}]
    assert card["licence"] == "MIT"
    shown = dict(content(tmp_path / "pages" / "tiny.html")["boards"][0]["facts"][0]["card"])
    assert shown["trained on"] == "nq/train"
    assert shown["fitted on"] == "tiny/tune"


def test_hashes_are_those_of_sha256sum(board: Path) -> None:
    folder = board / "submissions" / "dense"
    lines = [line.split("  ") for line in (folder / "hashes").read_text().splitlines()]
    assert [name for _, name in lines] == ["run.trec.gz", "card.yaml", "benchmark tiny"]
    for sha256, name in lines[:2]:
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == sha256


def test_a_submission_of_a_held_out_winner_claims_what_the_sweep_measured(
    command: Command, overrides: list[str], board: Path, tmp_path: Path
) -> None:
    """The claims are those of heldout.json, and what a board computes from the lists is the same."""
    *_, folder = command("sweep", "grid=point", *overrides)[1].split()
    command("heldout", f"sweep={folder}", f"paths.runs={tmp_path / 'runs'}", "tracking=none")
    rows = json.loads((Path(folder) / "heldout.json").read_text())
    winner = json.loads((Path(folder) / "winner.lock.json").read_text())["winner"]["trial"]
    status, out, err = command(
        "submit", "winner", f"lock={folder}", f"out={board}/submissions/winner", f"paths.runs={tmp_path / 'runs'}",
        "card={encoder: none, language_models: [], trained_on: [], cost: none, licence: MIT}",
    )  # fmt: skip
    assert status == 0, err
    assert "missing" not in out
    card = yaml.safe_load((board / "submissions/winner/card.yaml").read_text())
    row = next(row for row in rows if row["trial"] == winner)
    assert card["claims"]["last_hop@5"] == pytest.approx(row["last_hop@5"], abs=1e-6)
    assert card["data"]["fitted data"] == [{"name": "tiny", "split": "tune"}]
    status, out, _ = command("board", "check", str(board))
    assert status == 0, out
    assert f"scored   winner: tiny test, {row['n']} questions, last_hop@5 {100 * row['last_hop@5']:.1f}%" in out


def test_the_workflow_may_read_and_nothing_else(board: Path) -> None:
    flow = yaml.safe_load((board / ".github" / "workflows" / "check.yml").read_text())
    assert flow["permissions"] == {"contents": "read"}
    assert "pull_request" in flow[True]  # YAML 1.1 reads the key `on` as true
    assert "pull_request_target" not in flow[True]
    runs = [step["run"] for step in flow["jobs"]["check"]["steps"] if "run" in step]
    assert runs[1:] == ["harness board check .", "harness board build . out=site"]


def test_a_board_scores_on_the_data_that_it_was_made_for(command: Command, board: Path) -> None:
    path = Path("tiny/queries.jsonl")
    path.write_text(path.read_text().replace("Question 0?", "Question zero?"))
    status, out, err = command("board", "check", str(board))
    assert (status, out) == (2, "")
    assert "error: board/board.yaml: tiny has the sha256" in err


def test_submit_says_what_a_board_would(command: Command, board: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Of lists for half of the questions, and of lists that hold the answers alone."""
    lines = Path("tiny/dense.trec").read_text().splitlines()
    Path("half.trec").write_text("\n".join(line for line in lines if int(line.split()[0][1:]) < 20))
    rows = [json.loads(line) for line in Path("tiny/queries.jsonl").read_text().splitlines()]
    Path("gold.trec").write_text("".join(f"{row['id']} Q0 {row['supporting_ids'][1]} 1 1.0 x\n" for row in rows))
    first = ["submit", "mine", "dataset=folder", "dataset.path=tiny", CARD]
    status, out, _ = command(*first, "run=half.trec")
    assert status == 0
    assert out.splitlines()[1:] == ["note: 20 of 40 questions have no list, and count as not found"]
    Path("more.trec").write_text(f"{Path('half.trec').read_text()}\nnope {lines[0].partition(' ')[2]}\n")
    assert command(*first, "run=more.trec")[0] == 0
    assert "run=more.trec: 1 of its 21 queries are not of tiny and are left out: 'nope'" in caplog.text
    status, _, err = command(*first, "run=gold.trec")
    assert status == 2
    assert "40 of 40 lists hold nothing but supporting passages" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["board", "chek", "board"], "action=chek is not known (did you mean check?)"),
        (["board", "check"], "dir: no value is given"),
        (
            ["board", "check", "nowhere"],
            "nowhere/board.yaml: there is no board; `harness board init nowhere` makes one",
        ),
        (["board", "init", "board"], "board/board.yaml: there already, and not written over"),
        (["board", "init", "started"], "started/README.md: there already, and not written over"),
        (["board", "init", "new", "benchmarks=[]"], "benchmarks=[]: expected at least one"),
        (["submit"], "system: no value is given"),
        (["submit", "mine", "run=tiny/dense.trec"], "name the benchmark of the run, e.g. dataset=sample"),
        (["submit", "mine", "run=tiny/dense.trec", "dataset=sample"], "have no query in common"),
        (["submit", "mine", "run=x", "dataset=sample", "card.licens=MIT"], "card.licens"),
        (
            ["submit", "mine", "run=tiny/dense.trec", "dataset=folder", "dataset.path=tiny", "out=A B"],
            "A B: a submission is called by small letters, digits, _ and -",
        ),
    ],
)
def test_mistakes_are_one_line(command: Command, board: Path, arguments: list[str], message: str) -> None:
    Path("started").mkdir()
    Path("started/README.md").write_text("mine")
    status, _, err = command(*arguments)
    assert status == 2
    assert err.count("\n") == 1
    assert message in err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("last_hop@5", "last_hopp@5", "metric last_hopp@5 is not known"),
        ("split: test", "split: dev", "split=dev is not known"),
        ("depth: 100", "depth: 0", "depth must be in [1, inf), got"),
        ("  tiny:", "  index:", "benchmark index: expected a name of letters, digits, _ and -, not index"),
        ("  tiny:", "  ../tiny:", "benchmark ../tiny: expected a name"),
        ("benchmarks:", "benchmark:", "no settings of a board ('benchmarks')"),
    ],
)
def test_settings_that_are_none(command: Command, board: Path, old: str, new: str, message: str) -> None:
    settings = board / "board.yaml"
    settings.write_text(settings.read_text().replace(old, new))
    status, _, err = command("board", "check", str(board))
    assert status == 2
    assert message in err


def test_the_example_board_scores_what_its_lists_hold(command: Command) -> None:
    folder, data = Path(__file__).parents[1] / "showcase", package_folder("datasets") / "sample"
    packed = next(data.glob("queries.jsonl*")).read_bytes()
    queries = (gzip.decompress(packed) if packed[:2] == b"\x1f\x8b" else packed).decode()
    status, out, _ = command("board", "check", str(folder))
    assert status == 0
    for name in ("bm25", "dense", "mention_paths", "ppr", "winner"):
        run = gzip.decompress((folder / "submissions" / name / "run.trec.gz").read_bytes()).decode()
        share = last_hop(run, queries, "test")
        assert f"scored   {name}: sample test, 306 questions, last_hop@5 {100 * share:.1f}%\n" in out
    assert "note     winner: its lists are those of ppr, passage by passage\n" in out


FIGURE = {"benchmark": "tiny", "system": "Printed", "metric": "recall@5", "figure": 0.747, "source": "A paper, Table 3",
          "sample": "another sample"}  # fmt: skip


def test_printed_figures_stand_apart_with_their_source(command: Command, board: Path) -> None:
    other = {**FIGURE, "benchmark": "elsewhere", "system": "<b>Else</b>"}
    (board / "claims.yaml").write_text(yaml.safe_dump([FIGURE, other]))
    assert command("board", "build", str(board), "out=pages")[0] == 0
    first, own = ((Path("pages") / name).read_text() for name in ("index.html", "tiny.html"))
    row = '["Printed", "tiny", "recall@5", "74.7", "another sample", "A paper, Table 3"]'
    assert f'"published": [{row}]' in own
    assert f'"published": [{row}, ["\\u003cb>Else' in first


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("figure", 74.7, "claims.yaml: entry 1: figure must be in [0, 1], got figure=74.7"),
        ("figure", "74.7", "claims.yaml: entry 1: figure must be a number, got '74.7'"),
        ("source", "", "claims.yaml: entry 1: source = '', expected 1 to 400 characters"),
        ("metric", "found@5", "found"),
        ("year", 2025, "expected a list of {benchmark, system, metric, source, sample: text, figure: share}"),
    ],
)
def test_printed_figures_that_are_none(command: Command, board: Path, field: str, value: object, message: str) -> None:
    (board / "claims.yaml").write_text(yaml.safe_dump([{**FIGURE, field: value}]))
    status, _, err = command("board", "build", str(board), "out=pages")
    assert status == 2
    assert message in err
