"""Winners over benchmarks: a table and a sentence by partial conjunction, from the command line."""

import csv
import shutil

import numpy as np
import pytest

from harness.evaluation.statistic import replicability
from harness.report.table.replication import replications
from harness.sweep.folder import newest


@pytest.mark.usefixtures("undrawn")
def test_two_benchmarks_held_out(overrides, bench, command, tmp_path, monkeypatch):
    def run(name, *arguments):
        status, out, err = command(
            name, *arguments, f"paths.runs={tmp_path / 'runs'}", "tracking=none"
        )
        assert status == 0, err
        return out

    monkeypatch.chdir(tmp_path)

    shutil.copytree(bench, tmp_path / "other")
    corpus = tmp_path / "other" / "corpus.jsonl"
    corpus.write_text(corpus.read_text().replace("Text of", "Words on"))
    for folder in (bench, tmp_path / "other"):
        mine = [
            text.replace(str(bench), str(folder))
            for text in overrides
            if text.startswith(("dataset", "lists"))
        ]
        run("sweep", *mine, "grid=point")
        assert (
            replications(newest(tmp_path / "runs", "all").values()) == {}
        )  # tune chose the winner
    for result in newest(tmp_path / "runs", "all").values():
        run("heldout", f"sweep={result.folder}")
    results = newest(tmp_path / "runs", "all")
    (table,) = replications(results.values()).values()
    views = [result.test for result in results.values()]
    rows = [
        dict(zip([column.title for column in table.columns], row, strict=True))
        for row in table.rows
    ]
    assert [row["benchmark"] for row in rows] == [view.dataset for view in views]
    for row, view in zip(rows, views, strict=True):
        base = view.singles[view.lock["best_single"]]
        gain = view.scores[view.winner_place] - view.scores[base]
        assert [row["n"], row["W"], row["L"]] == [len(gain), (gain > 0).sum(), (gain < 0).sum()]
        assert row["difference"] == pytest.approx(gain.mean())
    if all(row["W"] + row["L"] and row["p"] is not None for row in rows):
        ps = replicability(
            [row["p"] for row in rows], np.array([row["W"] - row["L"] for row in rows])
        )
        shown = int((ps <= 0.05).sum())
        said = f"at least {shown} of 2 benchmarks" if shown else "is shown on none of 2 benchmarks"
    else:
        said = "Winner and best list differ on fewer than two benchmarks"
    assert said in table.caption
    (line,) = (
        line for line in run("report", "sweep=all").splitlines() if "partial conjunction" in line
    )
    assert said in line
    assert line.endswith(".")
    assert any(
        said in path.read_text() for path in (tmp_path / "reports" / "site").rglob("index.js")
    )
    assert len(list((tmp_path / "reports" / "tables").rglob("replication.tex"))) == 1
    rows = csv.DictReader((tmp_path / "reports/tables/main.csv").read_text().splitlines())
    dense = {row["benchmark"]: row for row in rows if row["strategy"] == "Dense"}
    for view in views:
        own = view.score(view.rows[view.singles["dense"]])
        assert float(dense[view.dataset]["last_hop@5 (share)"]) == own
