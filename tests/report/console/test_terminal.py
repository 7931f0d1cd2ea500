from pathlib import Path
from types import ModuleType

from harness.report.console import terminal


def test_leaderboard(example: ModuleType, tmp_path: Path) -> None:
    lines = terminal.leaderboard(example.write(tmp_path / "s1"), rows=2).splitlines()
    assert lines[0].split() == [
        "rank", "strategy", "last_hop@5", "full_sup@5", "recall@5", "W", "L", "p", "Holm", "p", "max", "p",
    ]  # fmt: skip
    assert lines[2].split()[:2] == [">", "1"]
    assert lines[2].split()[-8:] == ["75.0", "62.5", "83.3", "3", "1", ".625", "1.000", "–"]
    assert lines[4].strip() == "..."
    assert [line.split()[1] for line in lines[5:8]] == ["graph", "dense", "bm25"]
    text = "\n".join(lines)
    assert "winner  boltzmann pit alpha=0.7 beta=0.5 cap=20: last_hop@5 75.0 (95% 40.9 to 92.9)" in text
    assert "expected on test: last_hop@5 70.0 (95% 40.0 to 80.0) on 6 queries" in text
    assert "sample, split tune, n=8 queries, 8 trials, sha256 5ca1ab1e5ca1" in text
    assert max(map(len, lines)) <= 120


def test_heldout(example: ModuleType, tmp_path: Path) -> None:
    lines = terminal.heldout(example.write(tmp_path / "s1")).splitlines()
    assert lines[2].startswith("> boltzmann pit alpha=0.7")
    assert lines[2].split()[-11:] == [
        "83.3", "83.3", "88.9", "43.6–97.0", "3", "0", ".250", ".250", "2", "0", ".500",
    ]  # fmt: skip
    assert any("split test, n=6 queries, evaluation 1, earlier looks not recorded, 5 trials" in line for line in lines)


def test_a_long_name_is_cut_in_the_middle(example: ModuleType, tmp_path: Path) -> None:
    result = example.write(tmp_path / "s1")
    result.trials.loc[1, "name"] = "x" * 80 + " the end of it"
    assert " the end of it"[1:] in terminal.leaderboard(result)
    assert "x" * 41 not in terminal.leaderboard(result)
