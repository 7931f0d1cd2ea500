"""A multirun ends with one table of its sweeps; other sweeps of the runs folder are not in it. Stages are logged."""

import os
import subprocess
import sys


def test_the_joint_table_and_the_log_of_stages(overrides, tmp_path):
    def run(*arguments):
        command = [sys.executable, "-m", "harness", "sweep", *overrides, *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)

    alone = run("grid=point")
    assert "score 5 trials on " in alone.stderr  # three lists, rrf, the point
    assert "retrieve: begins" in alone.stderr
    assert "retrieve: done in " in alone.stderr
    assert "\r" not in alone.stderr  # a bar is for a terminal
    both = run("-m", "grid=point", "fuser=linear,combsum")
    *_, title, _, head, line, first, second, one, two = both.stdout.splitlines()
    assert title == "2 sweeps, last_hop@5 on tune"
    assert head.split()[:3] == ["sweep", "n", "reference"]
    assert set(line) == {"-"}
    assert sorted("linear" in row for row in (first, second)) == [False, True]
    assert sorted("combsum" in row for row in (first, second)) == [False, True]
    assert {path.rpartition("/")[2] for path in (one, two)} == {row.split()[-1] for row in (first, second)}


def test_a_report_of_sweeps_over_lists_whose_titles_are_longer_than_names_of_files(overrides, bench, tmp_path):
    def run(command, *arguments):
        typed = [sys.executable, "-m", "harness", command, *arguments, f"paths.runs={tmp_path / 'runs'}"]
        without_latex = {**os.environ, "PATH": ""}
        done = subprocess.run(typed, capture_output=True, text=True, cwd=tmp_path, env=without_latex)
        assert done.returncode == 0, done.stderr

    lists = ",".join(f"{{_target_:harness.retriever.trec.Trec,path:{bench / name}.trec}}" for name in ("bm25", "dense"))
    run("sweep", *overrides, "-m", "grid=point", f"lists.other={lists}")
    run("report", "sweep=all", "tracking=none")
    folders = [path.name for path in (tmp_path / "reports" / "tables").iterdir()]
    assert [len(name) for name in folders] == [80, 80]
