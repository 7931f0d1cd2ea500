"""A multirun ends with one table of its sweeps; other sweeps of the runs folder are not in it.
Stages are logged.
"""

import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

from harness.core.table.format import p_value
from tests import warm


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal in which the joint table is one part."""
    monkeypatch.setenv("COLUMNS", "250")


def test_the_joint_table_and_the_log_of_stages(overrides, tmp_path):
    def run(*arguments):
        return warm.harness("sweep", *overrides, *arguments, cwd=tmp_path, check=True)

    alone = run("grid=point")
    assert "score 5 trials on " in alone.stderr  # three lists, rrf, the point
    assert "retrieve lists.graph: begins" in alone.stderr
    assert "retrieve lists.graph: done in " in alone.stderr
    assert "\r" not in alone.stderr  # a bar is for a terminal
    both = run("-m", "grid=point", "fuser=linear,combsum")
    title, _, table = both.stdout.partition("\n\n2 sweeps, last_hop@5 on tune; ")[2].partition(
        "\n\n"
    )
    head, line, first, second, told, one, two = table.splitlines()
    assert told.startswith("next: harness heldout sweep=DIR ")
    assert title.startswith("best first, by the best trial with the row's settings; ")
    assert head.split()[:4] == ["fuser", "n", "best", "trial"]
    assert set(line) == {"-"}
    folders = [row.split()[-1] for row in (first, second)]
    assert {path.rpartition("/")[2] for path in (one, two)} == set(folders)

    tables = [
        pd.read_parquet(tmp_path / "runs" / "sweeps" / folder / "trials.parquet")
        for folder in folders
    ]
    own = [
        table[table["family"] == row.split()[0]].iloc[0]
        for table, row in zip(tables, (first, second), strict=True)
    ]
    scores = [row["last_hop@5"] for row in own]
    assert scores == sorted(scores, reverse=True)
    assert all(
        f"{100 * score:.1f}" in row.split()
        for score, row in zip(scores, (first, second), strict=True)
    )
    every = pd.concat(tables)  # over the trials of both
    ps = every["p_cluster"].fillna(every["p"]).dropna().tolist()
    mine = tables[0]["p"].dropna().index.get_loc(own[0].name)
    expected = multipletests(ps, method="holm")[1][mine]
    assert p_value(expected) in first.split()
    assert f"Holm p: over the {sum(map(len, tables)):,} trials of all these sweeps" in " ".join(
        title.split()
    )

    listed = warm.harness(
        "list", f"paths.runs={tmp_path / 'runs'}", cwd=tmp_path, check=True
    ).stdout
    (combsum,) = (row for row in listed.splitlines() if "fuser=combsum" in row)
    assert combsum.split()[0] in folders


def test_a_cell_without_sense_is_left_out_and_one_that_fails_takes_no_other_with_it(
    overrides, bench, tmp_path
):
    def run(*arguments):
        keys = {text.partition("=")[0] for text in arguments}
        given = [text for text in overrides if text.partition("=")[0] not in keys]
        return warm.harness("sweep", *given, "-m", "grid=point", *arguments, cwd=tmp_path)

    found = run("fuser=rrf,linear", "normalizer=none,pit")
    assert found.returncode == 0, found.stderr
    assert "\n\nleft out, since their settings do not go together: 2 cells of 4\n" in found.stdout
    (table,) = (part for part in found.stdout.split("\n\n") if part.startswith("normalizer  "))
    assert sorted(row.split()[0] for row in table.splitlines()[2:]) == ["none", "pit"]  # of linear
    for name in ("none", "pit"):
        told = (
            f"\nfuser=rrf normalizer={name}: warning: this command does not use normalizer={name}"
        )
        assert told in found.stdout
    assert all(line.startswith(str(tmp_path / "runs")) for line in found.stdout.splitlines()[-2:])

    found = run("fuser=linear,rrf", f"lists.bm25={tmp_path / 'none.trec'},{bench / 'bm25.trec'}")
    assert found.returncode == 2
    error = found.stderr.splitlines()[-1]
    cells = ", ".join(
        f"fuser={name} lists.bm25={tmp_path / 'none.trec'}" for name in ("linear", "rrf")
    )
    assert error.startswith(f"error: 2 of 4 jobs failed: {cells}: ")
    assert "none.trec: there is no such run file" in error
    title, table = found.stdout.split("\n\n")[-2:]
    assert title.startswith("2 sweeps, ")
    assert {row.split()[0] for row in table.splitlines()[2:4]} == {"linear", "rrf"}

    found = run("fuser=rrf", "normalizer=none,pit")
    assert (found.returncode, found.stdout) == (2, "")
    assert (
        "error: none of 2 cells has settings that go together: normalizer=none: warning: this"
        in found.stderr
    )


def test_a_row_is_of_its_own_settings_though_the_rrf_of_every_sweep_is_better(overrides, tmp_path):
    found = warm.harness(
        "sweep",
        *overrides,
        "-m",
        "grid=point",
        "fuser=combmin,combmax",
        "pool.cap=1",
        cwd=tmp_path,
        check=True,
    )
    rows = found.stdout.split("\n\n")[-1].splitlines()[2:4]
    assert {row.split()[0] for row in rows} == {"combmin", "combmax"}
    beaten = 0
    for row in rows:
        family, folder = row.split()[0], row.split()[-1]
        trials = pd.read_parquet(tmp_path / "runs" / "sweeps" / folder / "trials.parquet")
        (own,) = trials["last_hop@5"][trials["family"] == family]
        beaten += own < trials["last_hop@5"][trials["family"] == "rrf"].item()
        assert row.split()[2] == family
        assert f"{100 * own:.1f}" in row.split()
    assert beaten


@pytest.mark.slow
def test_a_report_of_sweeps_over_lists_whose_titles_are_longer_than_names_of_files(
    overrides, bench, tmp_path
):
    def run(command, *arguments):
        done = warm.harness(command, *arguments, f"paths.runs={tmp_path / 'runs'}", cwd=tmp_path)
        assert done.returncode == 0, done.stderr

    lists = ",".join(
        f"{{_target_:harness.retriever.trec.Trec,path:{bench / name}.trec}}"
        for name in ("bm25", "dense")
    )
    run("sweep", *overrides, "-m", "grid=point", f"lists.other={lists}")
    run("report", "sweep=all", "tracking=none")
    folders = [path.name for path in (tmp_path / "reports" / "tables").iterdir()]
    assert [len(name) for name in folders] == [80, 80]
