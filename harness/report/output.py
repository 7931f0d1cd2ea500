"""A result as a file, by its ending: JSON holds all of it; text, CSV, LaTeX and HTML hold its
table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.core.configuration import defaults, extensions
from harness.core.errors import HarnessError, nearest
from harness.core.escape import file_name
from harness.core.files import write_frame, write_json, write_text
from harness.core.table import TWO_COLUMNS, Table, typeset
from harness.evaluation.system_table import Matrix
from harness.report.display import Display
from harness.report.figure import Page, Picture
from harness.report.table.page import page

if TYPE_CHECKING:
    import pandas as pd


def displayed() -> Display:
    """The names of conf/display, and those that plug-ins add to them."""
    added = extensions.added("report").get("display")
    names: Any = extensions.merge(
        defaults("display", "default"), added if isinstance(added, Mapping) else {}
    )
    return Display(**names)


def in_paper(table: Table, name: str) -> str:
    """The table in LaTeX, labelled ``tab:<name>``; metrics have the names of conf/display, and what
    a person called a run stays as it is.
    """
    return typeset(table, TWO_COLUMNS, file_name(name), Display(metric=displayed().metric).text)


FORMS: Mapping[str, Callable[[Path, Any, Table], object]] = {
    ".json": lambda path, result, table: write_json(path, result),
    ".txt": lambda path, result, table: write_text(path, table.text() + "\n"),
    ".csv": lambda path, result, table: write_text(path, table.csv()),
    ".tex": lambda path, result, table: _write_latex(path, table),
    ".md": lambda path, result, table: write_text(path, table.markdown()),
    ".html": lambda path, result, table: write_text(path, page(table)),
}


FIGURES = (".pdf", ".png", ".svg")


def check_ending(
    out: str | None, key: str = "out", known: Iterable[str] = FORMS, queries: bool = False
) -> None:
    """Raise for an ending that is not written, before anything is computed.

    queries: the result also has rows of queries, which a .parquet holds.
    """
    known = (*known, ".parquet") if queries else known
    if out is not None and Path(out).suffix.lower() not in known:
        ending = Path(out).suffix
        raise HarnessError(
            f"{key}={out}: ending {ending or 'missing'} is not known{nearest(ending, known)}; "
            f"known: {', '.join(known)}"
        )


def write_result(
    out: str | None,
    result: Any,
    table: Table,
    paper: Callable[[], Table] | None = None,
    matrix: Matrix | None = None,
    queries: Callable[[], pd.DataFrame] | None = None,
) -> None:
    """Write the result to ``out`` (None: nowhere) in the form of its ending, whole or not at all,
    and say the files.

    paper: makes what a ``.tex`` holds in place of the table, which is then ``NAME-appendix.tex``
    beside it.
    queries: rows of queries: all of a ``.parquet``, and ``NAME-queries.csv`` beside a ``.csv``.
    matrix: a further table beside a ``.tex``, ``NAME-matrix.tex``; of a ``.html`` it stands above
    the table.
    """
    check_ending(out, queries=queries is not None)
    if out is None:
        return
    files = _files(Path(out), result, table, paper, matrix, queries)
    for path, write in files.items():
        write(path)
    print(*files, sep="\n")


def _files(
    path: Path,
    result: Any,
    table: Table,
    paper: Callable[[], Table] | None,
    matrix: Matrix | None,
    queries: Callable[[], pd.DataFrame] | None,
) -> dict[Path, Callable[[Path], object]]:
    """The files of a result, and what writes each."""

    def beside(name: str) -> Path:
        return path.with_name(f"{path.stem}-{name}{path.suffix}")

    ending = path.suffix.lower()
    match ending:
        case ".parquet" if queries:
            return {path: partial(write_frame, frame=queries())}
        case ".csv" if queries:
            by_query = joined_ranks(queries()).to_csv(index=False)
            return {
                path: partial(write_text, text=table.csv()),
                beside("queries"): partial(write_text, text=by_query),
            }
        case ".html" if matrix:
            return {path: partial(write_text, text=page(table, matrix))}
        case ".tex" if paper:
            pairs = {beside("matrix"): matrix.table()} if matrix else {}
            tables = {path: paper(), **pairs, beside("appendix"): table}
            return {place: partial(_write_latex, table=one) for place, one in tables.items()}
    return {path: lambda place: FORMS[ending](place, result, table)}


def _write_latex(path: Path, table: Table) -> None:
    write_text(path, in_paper(table, path.stem))


def joined_ranks(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows with lists of ranks as texts, ``1 7 -`` where the third passage is not in
    the list.
    """
    columns = [str(name) for name in frame if str(name).endswith("ranks")]
    texts = {
        name: [" ".join("-" if one is None else str(one) for one in ranks) for ranks in frame[name]]
        for name in columns
    }
    return frame.assign(**texts)


def write_figure(path: str | None, draw: Callable[[str], Picture]) -> None:
    """Write a figure, one column of a paper wide, with names of conf/display (None: nowhere), and
    say the file.

    draw: of its name.
    """
    check_ending(path, "figure", FIGURES)
    if path is None:
        return
    where = Path(path)
    draw(file_name(where.stem)).write([where], Page(rename=displayed().label))
    print(where)
