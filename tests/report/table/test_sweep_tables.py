"""Every table against the ranks in example.py, counted by hand."""

from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

from harness.core.table import Table
from harness.report import experiment
from harness.report.table import sweep_tables as tables
from harness.report.table import trials
from harness.report.table.ceiling import ceiling
from harness.report.table.knobs import knobs
from harness.sweep.folder.result import SweepResult


@pytest.fixture
def result(example: ModuleType, tmp_path: Path) -> SweepResult:
    made: SweepResult = example.write(tmp_path / "s1")
    return made


def column(table: Table, title: str) -> list[str]:
    place = [column.title for column in table.columns].index(title)
    return [row[place] for row in table.cells()]


def test_heldout(result: SweepResult) -> None:
    table = trials.heldout(result)
    name, *numbers = table.cells()[0]
    assert name == "boltzmann pit alpha=0.7 beta=0.5 cap=20"
    shown = "83.3 43.6–97.0 83.3 88.9 3 0 .250 .250 – – 2 0 – – – 100.0 80.0"
    assert " ".join(numbers) == shown
    assert table.marked == {0}
    assert column(table, "strategy")[1:] == [
        "rrf k=60",
        "graph",
        "linear minmax alpha=0.3",
        "dense",
    ], "best first"
    assert column(table, "W") == ["3", "2", "2", "1", "–"]
    assert column(table, "L*") == ["0", "1", "–", "2", "2"]
    # of t0, t1, t2, t3 and t5
    assert column(table, "chain %") == ["80.0", "60.0", "60.0", "40.0", "20.0"]


def test_a_caption_says_what_the_numbers_are(result: SweepResult) -> None:
    said = trials.heldout(result).caption
    for fact in (
        "the test half of sample (6 questions)",
        "last_hop@k: the last gold passage in hop order is in the top k",
        "full_sup@k: all gold passages are in the top k",
        "Data 5ca1ab1e5ca1",
        "evaluation 1",
        "against graph, the best single list on tune",
        "on the 5 questions whose gold passages are a chain",
    ):
        assert fact in said
    assert "evaluation" not in trials.leaderboard(result).caption


def test_leaderboard(result: SweepResult) -> None:
    table = trials.leaderboard(result)
    assert column(table, "rank") == [str(place) for place in range(1, 9)]
    assert " ".join(column(table, "last_hop@5 %")) == "75.0 62.5 62.5 62.5 50.0 50.0 50.0 25.0"
    assert column(table, "L") == ["1", "2", "3", "0", "0", "1", "–", "2"]
    assert column(table, "p")[0] == ".625"
    assert table.marked == {0}
    assert "8 of 8 trials" in table.caption


def test_a_short_leaderboard_keeps_every_single_list(result: SweepResult) -> None:
    table = trials.leaderboard(result, 2)
    assert column(table, "rank") == ["1", "2", "3", "4", "6", "7", "8"]
    fusers = ["linear minmax alpha=0.3", "rrf k=60"]
    assert column(table, "strategy")[2:] == ["graph", *fusers, "dense", "bm25"]


def test_a_short_leaderboard_leaves_out_copies_and_counts_them(
    example: ModuleType, tmp_path: Path
) -> None:
    result = example.write(tmp_path / "s1")
    stored = pd.read_parquet(result.folder / "trials.parquet")
    stored.loc[[0, 1], "equals"] = f"{2:016x}"  # graph
    stored.to_parquet(result.folder / "trials.parquet")
    short, whole = (trials.leaderboard(SweepResult(result.folder), limit) for limit in (2, None))
    # 2 is left out: it is 3, a single list, and so is 1, the best trial of its fuser
    assert column(short, "rank") == ["1", "3", "4", "6", "7", "8"]
    assert column(short, "strategy")[0] == "boltzmann pit alpha=0.7 beta=0.5 cap=20 = graph"
    assert (
        "(2 have the same gold ranks as one above and are left out; Holm p counts them)"
        in short.caption
    )
    assert len(whole.rows) == 8


def test_by_type(result: SweepResult) -> None:
    table = tables.by_type(result.locked)
    assert column(table, "bridge_type (n=5)") == ["80.0", "60.0", "60.0", "40.0", "20.0"]
    assert column(table, "comparison (n=1)") == ["100.0", "0.0", "0.0", "0.0", "100.0"]


def test_without_held_out_rows_the_tables_show_tune(example: ModuleType, tmp_path: Path) -> None:
    result = example.write(tmp_path / "s2", heldout=False)
    assert "the tune half of sample (8 questions)" in tables.by_type(result.locked).caption
    assert [table.name for table in tables.build_tables(result)] == [
        "metrics",
        "leaderboard",
        "by_type",
        "ablation",
        "knobs",
        "ceiling",
        "headroom",
    ]


def test_notes_say_what_stands_above_and_the_best_numbers_are_bold(result: SweepResult) -> None:
    table = trials.leaderboard(result, 2, "leaderboard")
    assert table.titles == ["rank", "strategy", "last_hop@5 %"]
    assert {table.titles[place] for _, place in table.style.best} == {"last_hop@5 %"}
    assert "W*" not in table.caption
    assert "Holm p by" not in table.caption
    (against,) = tables.best_list(result)
    assert "against graph, the best list on tune, on the test half" in against.title


def test_knobs(result: SweepResult) -> None:
    """Of the sum of squares .04375, fuser has .028125 (means .6875, .5625, .5) and alpha within
    boltzmann and linear the rest; beta, cap and the normalizer follow from the fuser.
    """
    (table,) = knobs(result.whole)
    assert table.cells() == [["fuser", "5", "64.3"], ["fuser.alpha", "4", "35.7"]]


def test_ceiling(result: SweepResult) -> None:
    (table,) = ceiling(result.whole)
    assert table.cells() == [["20", "dense+graph", "87.5"], ["all", "dense+graph", "100.0"]]


def test_the_view_of_tune_follows_the_lock(result: SweepResult) -> None:
    view = result.tune
    assert [row.name for row in view.rows] == [
        "boltzmann pit alpha=0.7 beta=0.5 cap=20",
        "linear minmax alpha=0.3",
        "rrf k=60",
        "graph",
        "dense",
    ]
    assert view.scores.sum(axis=1).tolist() == [6, 5, 4, 5, 4]
    assert view.evaluation == 0


def test_sort_keys_are_the_values(result: SweepResult) -> None:
    row = trials.heldout(result).html().splitlines()[3]
    assert row.startswith('<tr class="winner"><td class="text">boltzmann pit')
    score = f'<td class="share" data-key="{5 / 6}"><b>83.3</b></td>'
    assert f'{score}<td class="interval" data-key="0.436' in row


def test_no_value_lies_outside_its_own_interval(result: SweepResult, example: ModuleType) -> None:
    """In every table that says which column an interval is of; an interval of shares or points
    names its column.
    """
    checked = 0
    for table in [
        *tables.build_tables(result),
        *experiment.build_experiment(example.of_experiment(result))[0],
    ]:
        titles = [column.title for column in table.columns]
        for place, column in enumerate(table.columns):
            if column.kind == "interval":
                assert column.of in titles, (table.name, column.title)
            for row in table.rows if column.of else ():
                if row[place] is not None:
                    low, high = row[place]
                    assert low <= row[titles.index(column.of)] <= high, (
                        table.name,
                        column.title,
                        row,
                    )
                    checked += 1
    assert checked > 5
