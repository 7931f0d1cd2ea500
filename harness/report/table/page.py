"""A table as one page of HTML, with the matrix of several baselines above it; it loads nothing and
runs no script.
"""

from __future__ import annotations

from collections.abc import Iterator
from string import Template

from harness.core import escape
from harness.core.concepts import package_folder
from harness.core.identity import code_version
from harness.core.table import Table, p_value
from harness.evaluation.system_comparison import SystemComparison
from harness.evaluation.system_table import Matrix

KEY = (
    "A cell: the run's score less the baseline's; questions won/lost; 95% intervals of the "
    "difference; p after Holm's "
    "correction over all cells. Blue: the run is better, orange: worse, where that p is at most "
    ".05. Below a name "
    "stands its score. Empty: not compared."
)


def page(table: Table, matrix: Matrix | None = None) -> str:
    """The page, in the style of the site."""
    templates = package_folder("reports/templates")
    lines = [] if matrix is None else [*_matrix(matrix), "<h2>Every number</h2>"]
    lines += [f'<p class="caption">{escape.html(text)}</p>' for text in (table.caption,) if text]
    return Template((templates / "page.html").read_text(encoding="utf-8")).substitute(
        title=escape.html("Each run against each baseline" if matrix else table.head),
        style=(templates / "page.css").read_text(encoding="utf-8"),
        content="\n".join([*lines, _wide(table.html())]),
        version=escape.html(code_version()),
    )


def _matrix(matrix: Matrix) -> Iterator[str]:
    scores = {
        (one.baseline, str(one.metric)): one.scale.score(one.baseline_score) for one in matrix.found
    }
    heads = [
        f'<th scope="col">{escape.html(title)}<small>{escape.html(scores[head])}</small></th>'
        for title, head in zip(matrix.titles, matrix.heads, strict=True)
    ]
    rows = [_row(run, cells) for run, cells in zip(matrix.runs, matrix.rows(), strict=True)]
    yield "<h1>Each run against each baseline</h1>"
    yield f'<p class="caption">{escape.html(f"{_extent(matrix)} {KEY}")}</p>'
    yield _wide(
        "\n".join(
            [
                '<table class="matrix">',
                f"<thead><tr><td></td>{''.join(heads)}</tr></thead>",
                "<tbody>",
                *rows,
                "</tbody>",
                "</table>",
            ]
        )
    )


def _extent(matrix: Matrix) -> str:
    first, most = matrix.found[0], max(one.n for one in matrix.found)
    return (
        f"{', '.join(dict.fromkeys(metric for _, metric in matrix.heads))} on {first.extent(most)}."
    )


def _row(run: str, cells: list[SystemComparison | None]) -> str:
    known = {str(one.metric): one for one in cells if one is not None}
    named = len(known) > 1
    scores = [f"{name} " * named + one.scale.score(one.score) for name, one in known.items()]
    below = "".join(f"<small>{escape.html(text)}</small>" for text in scores)
    return (
        '<tr><th scope="row" '
        f'class="text">{escape.html(run)}{below}</th>{"".join(map(_cell, cells))}</tr>'
    )


def _cell(one: SystemComparison | None) -> str:
    if one is None:
        return "<td></td>"
    lines = [*_intervals(one), f"Holm p {p_value(one.p_holm)}"]
    below = "".join(f"<small>{escape.html(text)}</small>" for text in lines)
    return (
        f'<td class="{one.finding}"><b>{one.scale.signed(one.difference)}</b> '
        f"{one.wins}/{one.losses}{below}</td>"
    )


def _intervals(one: SystemComparison) -> list[str]:
    """The one that decides, and by what."""
    return [] if one.interval is None else [f"{one.scale.span(one.interval)} {one.decides}"]


def _wide(element: str) -> str:
    """An element that is scrolled sideways, also with keys."""
    return f'<div class="wide" tabindex="0" role="region" aria-label="Table">{element}</div>'
