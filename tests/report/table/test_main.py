"""The table of a paper: numbers by hand, names of conf/display, and pages without an overfull box."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.proportion import proportion_confint

from harness.core.configuration import extensions
from harness.core.configuration.composition import compose
from harness.core.configuration.conf_files import defaults, names
from harness.core.errors import HarnessError
from harness.core.identity import digest
from harness.core.table import Column, Table
from harness.core.table.latex import PANEL
from harness.evaluation.column import COLUMNS
from harness.report.display import Display
from harness.report.output import write_result
from harness.report.pdf.document import write
from harness.report.table.main import by_hops, main
from harness.report.table.trials import has_graph, in_paper
from harness.sweep.folder.judged_trial import JudgedTrial
from harness.sweep.folder.result import SweepResult
from tests import browser
from tests.conftest import Command
from tests.world.folder import write_runs

DISPLAY = Display(**defaults("display", "default"))
ARTICLE = r"""\documentclass[10pt,twocolumn]{article}
\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage{booktabs,tabularx}
\begin{document}
%s
\end{document}
"""


@pytest.fixture
def result(example: ModuleType, tmp_path: Path) -> SweepResult:
    made: SweepResult = example.write(tmp_path / "s1")
    return made


def clustered(result: SweepResult, labels: list[int]) -> SweepResult:
    """The same sweep, whose test questions share gold passages."""
    result.__dict__["heldout_queries"] = result.heldout_queries.assign(cluster=labels)
    return result


def test_the_rows_and_columns_of_a_paper_by_hand(result: SweepResult) -> None:
    (table,) = main([result], DISPLAY)
    assert table.titles == [
        "strategy",
        "last_hop@5 %",
        "95% Wilson",
        "full_sup@5 %",
        "recall@5 %",
        "GraphWin",
        "GraphLoss",
        "p (McNemar)",
        "Holm p",
    ]
    assert [row[:2] + row[5:] for row in table.cells()] == [
        ["Graph", "50.0", "2", "1", "1.000", "1.000"],
        ["Dense", "33.3", "–", "–", "–", "–"],
        ["PIT + Boltzmann", "83.3", "3", "0", ".250", ".250"],
        ["RRF", "50.0", "2", "1", "1.000", "1.000"],
        ["Min–max + Linear", "33.3", "1", "1", "1.000", "1.000"],
    ]
    assert table.marked == {2}
    assert {cell for cell in table.style.best if cell[1] == 1} == {(2, 1)}
    assert table.style.rules == {2}
    low, high = proportion_confint(3, 6, method="wilson")
    assert table.rows[0][2] == pytest.approx([low, high], abs=1e-4)
    head = "last_hop@5, full_sup@5 and recall@5 on the test half of sample (6 questions)"
    assert table.head == head


def test_an_interval_by_cluster_is_called_so(result: SweepResult) -> None:
    (table,) = main([clustered(result, [0, 0, 1, 2, 3, 4])], DISPLAY)
    assert table.titles[2] == "95% Wilson by cluster"
    assert table.titles[-1] == "Holm p by cluster"
    assert "p by cluster" in by_hops(result.locked, DISPLAY).titles


def test_the_lists_of_a_fusion_stand_in_the_note_or_in_its_name(result: SweepResult) -> None:
    def fused(row: JudgedTrial) -> JudgedTrial:
        lists = ["graph", "bm25", *(["dense"] if row.family == "rrf" else [])]
        parameters = {**row.parameters, "pool.lists": lists}
        return row if row.is_single else dataclasses.replace(row, parameters=parameters)

    view = result.locked
    vars(result)[view.split] = dataclasses.replace(view, rows=[fused(row) for row in view.rows])
    (table,) = main([result], DISPLAY)
    assert "Fusions are of Graph and BM25 unless their names have other lists." in table.notes
    names = [str(row[0]) for row in table.rows]
    assert "RRF (k 60, graph+bm25+dense)" in names
    assert "PIT + Boltzmann" in names


def test_a_winner_that_ranks_as_a_list_is_one_row(example: ModuleType, tmp_path: Path) -> None:
    alike = example.as_a_list(example.write(tmp_path / "s1", heldout=False))
    (table,) = main([alike], DISPLAY)
    (winner,) = table.marked
    assert table.rows[winner][0] == "Graph"
    assert [row[0] for row in table.rows if "Bol" in str(row[0])] == ["PIT + Boltzmann = Graph"]


def test_names_tell_rows_apart_and_no_fusion_is_there_twice(
    example: ModuleType, tmp_path: Path
) -> None:
    """RRF at two k has k in its name; linear has the gold ranks of boltzmann."""
    result = example.write(tmp_path / "s1", heldout=False)
    lock = result.folder / "winner.lock.json"
    stored = json.loads(lock.read_text())
    stored["baselines"].append(stored["fusers"][2])
    other = {**stored["fusers"][2], "trial": f"{1:016x}"}
    content = {**stored, "fusers": [*stored["fusers"][:2], other]}
    content.pop("sha256")
    lock.write_text(json.dumps({**content, "sha256": digest(content)}))
    trials = pd.read_parquet(result.folder / "trials.parquet")
    trials.loc[1, ["name", "family"]] = ["rrf k=10 cap=10", "rrf"]
    trials.loc[3, "equals"] = trials.loc[0, "trial"]
    trials.to_parquet(result.folder / "trials.parquet")
    (table,) = main([SweepResult(result.folder)], DISPLAY)
    fusions = [row[0] for row in table.rows][2:]
    assert fusions == ["PIT + Boltzmann", "RRF (k 10, cap 10)", "RRF (k 60, default)"]
    assert "Min–max + Linear (α 0.3) has the gold ranks of PIT + Boltzmann." in table.notes


def test_win_and_loss_without_a_graph_list(result: SweepResult) -> None:
    result.lock["lists"]["tree"] = result.lock["lists"].pop("graph")
    result.lock["best_single"] = "tree"
    (table,) = main([SweepResult(result.folder)], DISPLAY)
    assert {"GraphWin", "GraphLoss"} <= {*table.titles}
    without = dataclasses.replace(result.locked, lock=result.lock)
    assert not has_graph(without)
    assert in_paper(COLUMNS["W"], without).title == "Win"


def test_several_sweeps_are_groups_of_rows(
    result: SweepResult, example: ModuleType, tmp_path: Path
) -> None:
    other = example.write(tmp_path / "s2", heldout=False)
    other.manifest["dataset"] = "musique"
    (table,) = main([result, other], DISPLAY)
    assert [row[0] for row in table.rows] == ["sample (test)"] * 5 + ["MuSiQue (tune)"] * 5
    assert table.marked == {2, 7}
    other.lock["reference"] = "graph"
    assert len(main([result, other], DISPLAY)) == 2


def test_by_hops(result: SweepResult) -> None:
    """The winner finds the five questions of two hops, of which dense finds two, and not the one of
    three.
    """
    table = by_hops(result.locked, DISPLAY)
    assert table.cells() == [
        ["2", "5", "100.0", "3", "0", ".250", "–"],
        ["3", "1", "0.0", "0", "0", "1.000", "–"],
    ]


def test_three_hops_and_more_are_pooled_and_the_smallest_difference_is_one_that_is_found(
    result: SweepResult,
) -> None:
    """40 questions of two hops, 12 of which are won: the power of that many net wins is .8."""
    n = 50
    hops = [2] * 40 + [3] * 6 + [4] * 4
    ranks = np.full((2, n, 1), 9, np.int32)
    ranks[0, :12] = 1
    ranks[0, 40:43] = 1
    view = dataclasses.replace(
        result.locked,
        rows=[
            result.locked.rows[place]
            for place in (result.locked.winner_place, result.locked.singles["dense"])
        ],
        ranks=ranks,
        queries=pd.DataFrame({"id": range(n), "hops": hops}),
    )
    table = by_hops(view, DISPLAY)
    assert [row[:5] for row in table.cells()] == [
        ["2", "40", "30.0", "12", "0"],
        ["3", "6", "50.0", "3", "0"],
        ["4", "4", "0.0", "0", "0"],
        ["3 or more", "10", "30.0", "3", "0"],
    ]
    smallest = table.rows[0][-1]
    assert 0 < smallest < 0.3
    assert power(40, 0.3, smallest) == pytest.approx(0.8, abs=1e-6)


def power(n: int, discordance: float, effect: float) -> float:
    """Of the exact McNemar test at .05: over the number of differing questions and of wins."""
    from scipy.stats import binom

    win = (discordance + effect) / 2 / discordance
    total = 0.0
    for differing in range(n + 1):
        wins = np.arange(differing + 1)
        tail = binom.cdf(np.minimum(wins, differing - wins), differing, 0.5)
        found = binom.pmf(wins[2 * tail <= 0.05], differing, win).sum()
        total += binom.pmf(differing, n, discordance) * found
    return total


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("foo={bar:x}", "display has no foo"),
        ("list.graph=5", "display.list.graph=5: expected a text"),
    ],
)
def test_names_that_are_none(given: str, message: str) -> None:
    with pytest.raises(HarnessError, match=re.escape(message)):
        Display.read(compose("report", [f"++display.{given}"]))


def test_names_of_conf_in_a_paper(result: SweepResult) -> None:
    named = DISPLAY.of([result])
    assert named.cell("rrf k=60") == "RRF (k 60)"
    assert named.cell("graph") == "Graph"
    assert named.text("last_hop@5 of boltzmann pit alpha=0.7 beta=0.5 cap=20 on musique") == (
        "LastHop@5 of PIT + Boltzmann (α 0.7, β 0.5, cap 20) on MuSiQue"
    )
    assert named.text("my_last_hop and musique_train") == "my_last_hop and musique_train"
    assert named.label("dense, pit -1.5") == "Dense, pit −1.5"
    assert Display().strategy("mine_own", "pit") == "pit + mine own"


def test_every_displayed_strategy_is_there() -> None:
    known = defaults("display", "default")
    absent = known["fuser"].keys() - {"reranked"} - {*names("fuser")}
    assert [name for name in absent if not extensions.missing_plugin(f"fuser/{name}")] == []
    assert known["normalizer"].keys() <= {*names("normalizer")}


def test_what_a_person_called_a_run_stays_in_latex(tmp_path: Path) -> None:
    columns = [Column("run", "text"), Column("last_hop@5 %")]
    table = Table("x", "T", columns, [["dense", 0.5], ["musique", 0.5]])
    write_result(str(tmp_path / "my_table.tex"), {}, table)
    text = (tmp_path / "my_table.tex").read_text()
    assert r"\label{tab:my_table}" in text
    assert "LastHop@5" in text
    assert "\ndense & " in text
    assert "\nmusique & " in text


@pytest.mark.skipif(not shutil.which("latexmk"), reason="no latexmk")
@pytest.mark.usefixtures("undrawn")
def test_the_tables_fit_an_article_of_two_columns(
    example: ModuleType, result: SweepResult, tmp_path: Path
) -> None:
    """Without resizing, with names as long as they come, and every label once."""
    other = example.write(tmp_path / "s2", heldout=False)
    other.manifest["dataset"] = "2wikimultihopqa"
    results = {"a": clustered(example.of_experiment(result), [0, 0, 1, 2, 3, 4]), "b": other}
    out = tmp_path / "out"
    display = dataclasses.replace(DISPLAY, fuser={**DISPLAY.fuser, "rrf": "Anchored weighted RRF"})
    write(results, tmp_path, out, display.of([*results.values()]))
    files = (path.relative_to(out) for path in sorted(out.glob("tables/**/*.tex")))
    tables = [path for path in files if path.name != "details.tex"]
    assert Path("tables/main.tex") in tables
    text = (out / "tables" / "main.tex").read_text()
    assert (text.count(r"\begin{table*}"), text.count(PANEL)) == (1, 0)
    assert "resizebox" not in text
    inputs = "\n".join(rf"\input{{{path.as_posix()}}}\clearpage" for path in tables)
    (out / "two.tex").write_text(ARTICLE % inputs)
    command = ["latexmk", "-norc", "-pdf", "-interaction=nonstopmode", "two"]
    subprocess.run(command, cwd=out, check=True, capture_output=True, timeout=120)
    log = (out / "two.log").read_text(errors="replace")
    assert not re.findall(r"Overfull \\hbox.*|multiply defined|undefined", log)


ATTACK = "<img src=x onerror=alert(1)>.json"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of 66 questions dense finds 0 to 25, ours 0 to 48, other 40 to 65."""
    monkeypatch.chdir(tmp_path)
    found = {"dense": range(26), "ours": range(49), "other": range(40, 66)}
    write_runs(tmp_path, found)
    (tmp_path / "ours.json").rename(ATTACK)
    return tmp_path


def written(command: Command, *further: str) -> str:
    status, said, _ = command(
        "compare",
        f"run=['{ATTACK}',other.json]",
        "baseline=dense.json",
        "gold=queries.jsonl",
        "out=made/table.html",
        *further,
    )
    assert status == 0
    assert said.endswith("made/table.html\n")
    return Path("made/table.html").read_text()


def test_the_page_loads_nothing_and_holds_names_as_text(folder: Path, command: Command) -> None:
    text = written(command, "metric=[last_hop,recall]")
    assert "<img" not in text
    assert "<script" not in text
    assert not re.search(r'(src|href)="(?!data:)', text)
    assert "default-src 'none'" in text


def test_results_as_pages(folder: Path, command: Command) -> None:
    command(
        "compare", "run=other.json", "baseline=dense.json", "gold=queries.jsonl", "out=one.html"
    )
    assert Path("one.html").read_text().count("<table>") == 1
    command("evaluate", "run=other.json", "gold=queries.jsonl", "out=scores.html")
    assert '<td class="share" data-key="0.39' in Path("scores.html").read_text()


def test_a_browser_shows_it_without_a_complaint(
    folder: Path, command: Command, tmp_path: Path
) -> None:
    if browser.CHROMIUM is None:
        pytest.skip("no Chromium: the page is not looked at")
    written(command)
    with browser.Browser(tmp_path / "profile") as page:
        page.open((folder / "made" / "table.html").as_uri())
        page.wait("document.querySelectorAll('table').length === 1")
        assert ATTACK in page.text()
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
        assert page.complaints == []
