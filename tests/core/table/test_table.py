"""A table in every form, written out by hand."""

from __future__ import annotations

import doctest

import pytest

from harness.core import table as module
from harness.core.table import Column, Source, Style, Table, fit, latex, typeset
from harness.core.table.latex import LatexTable

TABLE = Table(
    "demo/scores",
    "A_title",
    [Column("list", "text"), Column("hit@5 %"), Column("95%", "span"), Column("W", "count")],
    [["dense", 0.5, [-0.1, 0.2], None], ["[a] <b>_^^5cinput\x1b[2J", 1 / 3, None, 3]],
    marked=frozenset({1}),
)


def test_a_notebook_without_html_shows_the_text() -> None:
    table = Table("x", "One", [Column("a", "text")], [["b"]])
    assert repr(table) == table.text()


def test_text() -> None:
    assert str(TABLE).splitlines() == [
        "A_title",
        "",
        "  list                  hit@5             95%  W",
        "------------------------------------------------",
        "  dense                  50.0  -10.0 to +20.0  –",
        "> [a] <b>_^^5cinput[2J   33.3               –  3",
    ]


def test_a_long_cell_is_wrapped_at_words_and_nothing_is_lost() -> None:
    columns = [Column("strategy", "text"), Column("W", "count")]
    table = Table("t", "T", columns, [["learned penalty=1 cap=50", 3]], marked=frozenset({0}))
    assert table.lines(17)[2:] == ["> learned penalty=1  3", "  cap=50"]
    assert table.lines()[2:] == ["> learned penalty=1 cap=50  3"]


@pytest.mark.parametrize("columns", [30, 40, 60, 80, 100, 160])
def test_a_terminal_of_any_width_shows_every_word(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    words = ["boltzmann", "alpha=0.7", "beta=0", "minmax", "T=auto", "cap=20", "graph+bm25"]
    kinds = [
        Column("trial", "text"),
        Column("hit@5 %"),
        Column("95%", "span"),
        Column("why", "text"),
    ]
    rows = [[" ".join(words), 0.5, [-0.1, 0.2], "q" * 70], ["", None, None, "d e"]]
    marked = Table("t", "T", kinds, rows, marked=frozenset({0}), style=Style(marks={(0, 1): "*"}))
    lines = fit(marked)
    assert max(map(len, lines)) <= columns
    shown = "\n".join(lines)
    assert all(
        f" {word} " in f" {shown} ".replace("\n", " ") for word in (*words, "50.0*", "hit@5")
    )
    assert shown.count("q") == 70
    assert ("> " in shown, "-10.0 to +20.0" in shown) == (True, columns >= 60)


def test_a_table_without_rows_has_its_head() -> None:
    assert fit(Table("t", "T", [Column("trial", "text")], [])) == ["trial", "-----"]


def test_csv_is_exact() -> None:
    assert TABLE.csv().splitlines() == [
        "list,hit@5 (share),95% (share) low,95% (share) high,W",
        "dense,0.5,-0.1,0.2,",
        "[a] <b>_^^5cinput[2J,0.3333333333333333,,,3",
    ]


def test_csv_holds_no_formula_of_data() -> None:
    table = Table(
        "a",
        "a",
        [Column("=1", "text"), Column("x", "percent")],
        [['=HYPERLINK("http://x")', -0.25]],
    )
    assert table.csv().splitlines() == ["'=1,x", '"\'=HYPERLINK(""http://x"")",-0.25']


def test_html_sorts_by_values_and_runs_nothing() -> None:
    lines = TABLE.html().splitlines()
    assert lines[1].endswith('<th class="count">W</th></tr></thead>')
    assert lines[3] == (
        '<tr><td class="text">dense</td><td class="share" data-key="0.5">50.0</td><td '
        'class="span" data-key="-0.1">'
        '-10.0 to +20.0</td><td class="count">–</td></tr>'
    )
    assert lines[4].startswith(
        '<tr class="winner"><td class="text">[a] &lt;b&gt;_^^5cinput[2J<sup>†</sup></td>'
    )


def test_latex() -> None:
    text = typeset(TABLE, "demo-scores")
    assert r"\caption{A\_title.}" in text
    assert r"\label{tab:demo-scores}" in text
    assert r"\begin{tabular}{@{}lrrr@{}}" in text
    assert " & 50.0 & \\ensuremath{-}10.0 to +20.0 & \\textendash{} \\\\\n" in text
    assert r"\textbf" not in text
    name = r"{[}a{]} \textless{}b\textgreater{}\_\textasciicircum{}\textasciicircum{}5cinput{[}2J"
    assert rf"{name}\rlap{{\textsuperscript{{\ensuremath{{\dagger}}}}}}" in text
    best = typeset(TABLE.with_best(), "demo-scores")
    assert r"\textbf{50.0}" in best
    assert r"\textbf{33.3}" in typeset(TABLE.with_best(["hit@5 %"]), "demo-scores")


PAIRS = Table(
    "pairs",
    "Points over each baseline",
    [
        Column("run", "text"),
        Column("over a", "points"),
        Column("W", "count"),
        Column("over b", "points"),
        Column("W of b", "count"),
    ],
    [["x", 0.02, 3, None, None], ["y", -0.01, 0, 0.3, 9]],
    Source("40 questions, split test", ["All of them: known."]),
    ["W: queries won."],
    style=Style(best=frozenset({(1, 3)}), marks={(1, 3): "*"}),
)


def test_what_is_too_wide_continues_below(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "16")
    assert fit(PAIRS) == [
        "run  over a  W",
        "--------------",
        "x      +2.0  3",
        "y      -1.0  0",
        "",
        "run  over b",
        "-----------",
        "x         –",
        "y    +30.0*",
        "",
        "run  W of b",
        "-----------",
        "x         –",
        "y         9",
    ]
    monkeypatch.setattr(latex, "PAGE", 20)
    text = typeset(PAIRS, "pairs")
    assert (text.count(r"\begin{tabular}{"), text.count("over b")) == (2, 1)


def test_a_caption_is_title_and_source_and_notes_stand_below() -> None:
    text = typeset(PAIRS, "pairs")
    assert r"\caption{Points over each baseline: 40 questions, split test.}" in text
    assert r"\scriptsize W: queries won. All of them: known." in text


def test_an_interval_stays_beside_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    score = [Column("a %"), Column("95% of a", "interval", of="a %"), Column("b %")]
    table = Table("t", "T", [Column("row", "text"), *score], [["x", 0.5, (0.4, 0.6), 0.3]])
    assert table.units == [[1, 2], [3]]
    for page, panels in ((25, [[0, 1, 2], [0, 3]]), (14, [[0, 1], [0, 2], [0, 3]])):
        monkeypatch.setattr(latex, "PAGE", page)
        assert LatexTable(table).layout[1] == panels


def test_width_decides_between_a_column_and_the_page() -> None:
    columns = [Column("strategy", "text"), *(Column(f"last_hop@{k} %") for k in range(1, 16))]
    rows = [["a" * 20, *[0.5] * 15]] * 2
    for count, environment, panels in ((2, "table", 1), (6, "table*", 1), (16, "table*", 3)):
        table = Table("t", "T", columns[:count], [row[:count] for row in rows])
        text = typeset(table, "s-t")
        assert rf"\begin{{{environment}}}" in text
        assert text.count(r"\begin{tabular}{") == panels
        assert text.count(r"\label{tab:s-t}") == 1


def test_the_first_column_of_a_banded_table_is_a_line_above_its_rows() -> None:
    columns = [Column("benchmark", "text"), Column("list", "text"), Column("n", "count")]
    rows = [["A", "x", 1], ["A", "y", 2], ["B", "x", 3]]
    table = Table("t", "T", columns, rows, style=Style(rules=frozenset({2})), banded=True)
    body = typeset(table, "t").partition("\\midrule\n")[2]
    assert body.splitlines()[:6] == [
        r"\multicolumn{2}{@{}l}{\emph{A}} \\",
        r"x & 1 \\",
        r"y & 2 \\",
        r"\midrule",
        r"\multicolumn{2}{@{}l}{\emph{B}} \\",
        r"x & 3 \\",
    ]


def test_tex_breaks_the_lines_of_long_texts_alone() -> None:
    """The page holds 108 digits, the numbers take 6 and two columns' gaps 4 of them."""
    columns = [Column("strategy", "text"), Column("list", "text"), Column("hit@5 %")]
    for length, spec in ((88, "tabular}{@{}llr"), (96, r"tabularx}{\linewidth}{@{}>")):
        table = Table("t", "T", columns, [["a " * (length // 2), "dense", 0.5]])
        assert rf"\begin{{{spec}" in typeset(table, "t")
    assert r"X" + "lr@{}}" in typeset(table, "t")


def test_no_panel_is_wider_than_the_page() -> None:
    wide = Table(
        "w",
        "W",
        [Column("row", "text"), *(Column(f"c{n}") for n in range(30))],
        [["x", *[0.5] * 30]],
    )
    sheet = LatexTable(wide)
    panels = sheet.layout[1]
    assert len(panels) > 1
    assert max(map(sheet.width, panels)) <= latex.PAGE


def test_markdown() -> None:
    lines = PAIRS.markdown().splitlines()
    assert lines[0] == r"**Points over each baseline: 40 questions, split test**"
    assert lines[2:6] == [
        "| run | over a (points) | W | over b (points) | W of b |",
        "| --- | ---: | ---: | ---: | ---: |",
        r"| x | +2.0 | 3 | – | – |",
        r"| y | -1.0 | 0 | **+30.0**\* | 9 |",
    ]
    assert lines[7] == "W: queries won. All of them: known."


def test_some_rows_and_columns_keep_their_marks() -> None:
    taken = PAIRS.take([0, 3], [1])
    assert taken.cells() == [["y", "+30.0"]]
    assert (taken.style.best, taken.style.marks) == ({(0, 1)}, {(0, 1): "*"})
    assert TABLE.take(rows=[1]).marked == {0}


@pytest.mark.parametrize("name", ["../x", "a b", "", "/etc/x", "a//b", "é"])
def test_a_name_cannot_leave_its_folder(name: str) -> None:
    with pytest.raises(ValueError, match="expected a name of letters, digits"):
        Table(name, "x", [], [])


def test_the_example_of_the_documentation() -> None:
    assert doctest.testmod(module).failed == 0
