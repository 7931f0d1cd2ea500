"""A multirun ends with one table of its sweeps; other sweeps of the runs folder are not in it. Stages are logged."""

import json
import os

import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

from harness.core.table.format import p_value
from tests import warm


def test_the_joint_table_and_the_log_of_stages(overrides, tmp_path):
    def run(*arguments):
        return warm.harness("sweep", *overrides, *arguments, cwd=tmp_path, check=True)

    alone = run("grid=point")
    assert "score 5 trials on " in alone.stderr  # three lists, rrf, the point
    assert "retrieve: begins" in alone.stderr
    assert "retrieve: done in " in alone.stderr
    assert "\r" not in alone.stderr  # a bar is for a terminal
    both = run("-m", "grid=point", "fuser=linear,combsum")
    *_, title, _, head, line, first, second, one, two = both.stdout.splitlines()
    assert title.startswith("2 sweeps, last_hop@5 on tune, best first; ")
    assert head.split()[:3] == ["fuser", "n", "reference"]
    assert set(line) == {"-"}
    folders = [row.split()[-1] for row in (first, second)]
    assert {path.rpartition("/")[2] for path in (one, two)} == set(folders)

    tables = [pd.read_parquet(tmp_path / "runs" / "sweeps" / folder / "trials.parquet") for folder in folders]
    locks = [json.loads((tmp_path / "runs" / "sweeps" / folder / "winner.lock.json").read_text()) for folder in folders]
    scores = [max(row["last_hop@5"] for row in (lock["winner"], *lock["baselines"])) for lock in locks]
    assert scores == sorted(scores, reverse=True)
    assert [row.split()[0] for row in (first, second)] == [lock["winner"]["family"] for lock in locks]
    ps = pd.concat(tables)["p"].dropna().tolist()  # over the trials of both
    (place,) = tables[0].index[tables[0]["trial"] == locks[0]["winner"]["trial"]]
    mine = tables[0]["p"].dropna().index.get_loc(place)
    expected = multipletests(ps, method="holm")[1][mine]
    assert p_value(expected) in first.split()
    assert f"Holm p: over the {sum(map(len, tables))} trials of all these sweeps" in title

    listed = warm.harness("list", f"paths.runs={tmp_path / 'runs'}", cwd=tmp_path, check=True).stdout
    (combsum,) = (row for row in listed.splitlines() if "fuser=combsum" in row)
    assert combsum.split()[0] in folders


@pytest.mark.slow
def test_a_report_of_sweeps_over_lists_whose_titles_are_longer_than_names_of_files(overrides, bench, tmp_path):
    def run(command, *arguments):
        without_latex = {**os.environ, "PATH": ""}
        done = warm.harness(command, *arguments, f"paths.runs={tmp_path / 'runs'}", cwd=tmp_path, env=without_latex)
        assert done.returncode == 0, done.stderr

    lists = ",".join(f"{{_target_:harness.retriever.trec.Trec,path:{bench / name}.trec}}" for name in ("bm25", "dense"))
    run("sweep", *overrides, "-m", "grid=point", f"lists.other={lists}")
    run("report", "sweep=all", "tracking=none")
    folders = [path.name for path in (tmp_path / "reports" / "tables").iterdir()]
    assert [len(name) for name in folders] == [80, 80]
