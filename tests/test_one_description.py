"""What is added in one place appears wherever its kind does: a metric, a form of table.

A command: tests/command/test_new.py.
"""

import json
import os
import re
import sqlite3
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from harness.report import output
from harness.run.io import read
from tests import process
from tests.conftest import Command

PAGE = (
    (Path(__file__).parents[1] / "reports" / "docs" / "pages" / "extending.md")
    .read_text()
    .partition("## A metric")[2]
)


@pytest.fixture
def metric(tmp_path: Path) -> Path:
    """A folder of one's own with the metric that the page on extending shows: a function and a
    file.
    """
    python, yaml = (
        re.search(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)[1] for kind in ("python", "yaml")
    )  # type: ignore[index]
    conf = tmp_path / "my_harness" / "conf" / "metric"
    conf.mkdir(parents=True)
    (conf / "first_hop.yaml").write_text(yaml)
    (tmp_path / "my_harness" / "measures.py").write_text(python)
    return tmp_path


def test_a_metric(metric: Path, bench: Path, overrides: list[str]) -> None:
    """`list`, terminal, LaTeX, CSV, site and MLflow have it, on tune and test, and so have
    `evaluate` and `compare`.

    The objective is another metric than last_hop: GraphWin and GraphLoss are shown beside W and L.
    """
    environment = {**os.environ, "PYTHONPATH": str(metric)}
    paths = [f"paths.{name}={metric / name}" for name in ("runs", "reports")]

    def typed(name: str, *arguments: str, ends: int = 0) -> str:
        given = (name, "--config-dir=my_harness/conf", *arguments)
        done = process.harness(*given, cwd=metric, env=environment, joint=True)
        assert done.returncode == ends, done.stdout
        return done.stdout

    assert re.search(
        "^first_hop@k +1 where the first gold passage is", typed("list", "metric"), re.MULTILINE
    )
    given = [one for one in overrides if one != "tracking=none"]
    measured = ["metrics=[full_sup@5,recall@5,mrr,any_sup@7,first_hop@5]", "objective=full_sup@5"]
    said = typed(
        "sweep", *given, "tracking=mlflow", "grid=point", "fuser=rrf", "explain=true", *measured
    )
    assert "first_hop@5" in said
    sweep = next((metric / "runs" / "sweeps").glob("tiny-*/trials.parquet")).parent
    typed("heldout", f"sweep={sweep}", *paths[:1])
    typed("report", f"sweep={sweep}", *paths)
    heads = [
        path.read_text().splitlines()[0] for path in (metric / "reports" / "tables").rglob("*.csv")
    ]
    for shown in ("first_hop@5", "mrr", "full_sup@5", "GraphWin", "GraphLoss"):
        assert [head for head in heads if shown in head], (shown, heads)
    texts = [path.read_text() for path in (metric / "reports" / "tables").rglob("*.tex")]
    assert [text for text in texts if r"first\_hop@5" in text]
    site = next((metric / "reports" / "site" / "data").glob("tiny-*/sweep.js")).read_text()
    assert site.count("first_hop@5") >= 2
    questions = map(json.loads, (bench / "queries.jsonl").read_text().splitlines())
    first = {question["id"]: question["supporting_ids"][0] for question in questions}
    dense = read(bench / "dense.trec").to_dict()
    hits = {
        query: doc in sorted(dense[query], key=dense[query].get)[-5:]
        for query, doc in first.items()
    }
    frame = pd.read_parquet(sweep / "trials.parquet", columns=["name", "first_hop@5"])
    tune = pd.read_parquet(sweep / "queries.parquet")["id"]
    assert frame[frame["name"] == "dense"]["first_hop@5"].item() == pytest.approx(
        np.mean([hits[q] for q in tune])
    )
    with sqlite3.connect(metric / "runs" / "mlflow.db") as stored:
        values = {
            value
            for (value,) in stored.execute("select value from metrics where key = 'first_hop_at_5'")
        }
        judged = "select count(distinct run_uuid) from metrics where key = '{}'"
        counts = [
            stored.execute(judged.format(key)).fetchone() for key in ("graph_win", "graph_loss")
        ]
    assert set(frame["first_hop@5"]) <= values
    assert counts[0] == counts[1] > (0,)
    given = [f"run={bench / 'dense.trec'}", f"gold={bench / 'queries.jsonl'}"]
    assert f"{100 * np.mean(list(hits.values())):.1f}" in typed(
        "evaluate", *given, "metrics=[first_hop@5]"
    )
    assert "did you mean first_hop?" in typed("evaluate", *given, "metrics=[frst_hop@5]", ends=2)
    assert "by first_hop@5" in typed(
        "compare", *given, f"baseline={bench / 'graph.trec'}", "metric=first_hop@5"
    )
    for wrong, words in (
        ("1.0", "gave float64 of shape ()"),
        ("3 * ranks[..., 0]", "expected 0 or 1, as binary"),
    ):
        (metric / "my_harness" / "measures.py").write_text(
            f"def first_hop(ranks, k):\n    return {wrong}\n"
        )
        refused = typed("evaluate", *given, "metrics=[first_hop@5]", ends=2)
        assert "error: metric first_hop@5: my_harness.measures.first_hop gave " in refused
        assert words in refused


def test_a_form_of_table(
    bench: Path, command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Every command that writes a table writes it, and names it among those that are known."""
    monkeypatch.setitem(output.FORMS, ".tsv", lambda name, table, first: "tabs\n")  # type: ignore[arg-type]
    given = [f"gold={bench / 'queries.jsonl'}", f"run={bench / 'dense.trec'}"]
    for name, more in {"evaluate": [], "compare": [f"baseline={bench / 'graph.trec'}"]}.items():
        assert command(name, *given, *more, f"out={tmp_path / name}.tsv")[0] == 0
        assert (tmp_path / f"{name}.tsv").read_text() == "tabs\n"
        assert ".tsv" in command(name, *given, *more, "out=table.doc")[2]
