from pathlib import Path
from types import ModuleType

import pytest

from harness.report.console import terminal


def test_leaderboard(example: ModuleType, tmp_path: Path) -> None:
    """Of eight trials the three lists and the best trial of each of the three fusers."""
    lines = terminal.leaderboard(example.write(tmp_path / "s1", heldout=False)).splitlines()
    head = " ".join(line.strip() for line in lines[:2])
    assert head == (
        "sample, tune split (n = 8): 5 fusions and 3 single lists, by last_hop@5; the winner (>) is "
        "tune's best fusion."
    )
    assert " ".join(lines[3].split()) == "rank strategy last_hop@5 full_sup@5 W L p Holm p"
    assert lines[5].split()[:2] == [">", "1"]
    assert lines[5].split()[-6:] == ["75.0", "62.5", "3", "1", ".625", "1.000"]
    assert [line.split()[0] for line in lines[6:11]] == ["3", "4", "6", "7", "8"]
    assert [lines[place].split()[1] for place in (6, 9)] == ["graph", "dense"]
    assert lines[12].startswith(
        "W, L (GraphWin, GraphLoss): won, lost against dense; Holm p: corrected over "
    )
    assert "On the 6 questions of test its expected score is 40.0 to 80.0." in lines
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 120


def test_what_explains_stands_behind_explain(
    example: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    result = example.write(tmp_path / "s1")
    short, whole = terminal.leaderboard(result), terminal.leaderboard(result, explain=True)
    for title in ("What a choice for each question would add", "The forecast for test"):
        assert f"\n{title}\n" in whole
        assert title not in short
    head, row = (" ".join(whole.splitlines()[place].split()) for place in (3, 5))
    assert "W L p Holm p W* L* Holm p*" in head
    assert "3 1 .625 1.000 2 1 1.000" in row
    assert "p (McNemar)  detectable" in whole
    assert "sha256 5ca1ab1e5ca1" in " ".join(whole.split())


def test_heldout(example: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    result = example.write(tmp_path / "s1")
    lines = terminal.heldout(result).splitlines()
    assert lines[0].startswith("sample, test split (n = 6, evaluation 1): 5 locked trials")
    (row,) = (line for line in lines if line.startswith("> boltzmann pit alpha=0.7"))
    assert row.split()[-7:] == ["83.3", "43.6–97.0", "83.3", "3", "0", ".250", ".250"]
    monkeypatch.setattr(terminal, "_short", lambda table, *_: table.take(rows=[0, 1, 2]))
    assert "explain=true prints 2 more locked trials." in terminal.heldout(result)  # 3 of 5
    whole = terminal.heldout(result, explain=True).splitlines()
    (row,) = (line for line in whole if line.startswith(">"))
    assert "43.6–97.0 83.3 88.9 3 0 .250 .250 2 0 –" in " ".join(row.split())
    assert "The forecast for test" not in whole


def test_no_sentence_is_said_twice(example: ModuleType, tmp_path: Path) -> None:
    result = example.write(tmp_path / "s1")
    for said in (terminal.leaderboard(result, True), terminal.heldout(result, True)):
        sentences = " ".join(said.split()).split(". ")
        assert len(sentences) == len(set(sentences))


@pytest.mark.parametrize("columns", [80, 100, 160])
def test_no_line_is_wider_than_the_terminal(
    columns: int, example: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    result = example.write(tmp_path / "s1")
    result.trials.loc[1, "name"] = "x" * 80 + " the end of it"
    for explain in (False, True):
        for said in (terminal.leaderboard(result, explain), terminal.heldout(result, explain)):
            assert max(map(len, said.splitlines())) <= columns


def test_a_long_name_is_wrapped_and_p_stays_beside_it(
    example: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = example.write(tmp_path / "s1")
    result.trials.loc[3, "name"] = "linear minmax alpha=0.3 beta=0.5 cap=20 lists=dense+graph+bm25"
    monkeypatch.setenv("COLUMNS", "96")
    lines = terminal.leaderboard(result).splitlines()
    start = next(place for place, line in enumerate(lines) if " 4  linear" in line)
    assert lines[3].endswith("p  Holm p")
    assert lines[start].endswith("1.000   1.000")
    assert lines[start + 1].strip() == "lists=dense+graph+bm25"


def test_the_table_of_an_experiment_is_on_the_screen(example: ModuleType, tmp_path: Path) -> None:
    """Without strategies and intervals; of dense and its best trial 8 questions of tune, 6 of test
    (by hand in test_experiment).
    """
    result = example.of_experiment(example.write(tmp_path / "s1"))
    lines = [line.split() for line in terminal.heldout(result).splitlines()]
    assert ["all", "tune", "best", "8", "75.0"] in [line[:5] for line in lines]
    assert ["all", "test", "vector", "only", "6", "33.3"] in [line[:6] for line in lines]
