"""A result as a file, by its ending: JSON has all of it; text, CSV, LaTeX and HTML
have its table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import starmap
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from harness.core import escape
from harness.core.concepts import package_folder
from harness.core.configuration import extensions
from harness.core.configuration.conf_files import defaults
from harness.core.errors import HarnessError, nearest
from harness.core.escape import file_name
from harness.core.files import write_frame, write_json, write_text
from harness.core.identity import code_version
from harness.core.table import Table, typeset
from harness.report.display import Display

if TYPE_CHECKING:
    import pandas as pd


def displayed() -> Display:
    """Return the names of conf/display, and those that plug-ins add to them."""
    added = extensions.added("report").get("display")
    names: Any = defaults("display", "default")
    if isinstance(added, Mapping):
        names = extensions.merge(names, added)
    return Display(**names)


def in_paper(table: Table, name: str) -> str:
    """Return the table in LaTeX, labelled ``tab:<name>``.

    Metrics have the names of conf/display; the names of runs stay as the user gave them.
    """
    return typeset(table, file_name(name), Display(metric=displayed().metric).text)


FORMS: Mapping[str, Callable[[str, Table, str], str]] = {
    ".txt": lambda name, table, first: _above(first, table.text() + "\n"),
    ".csv": lambda name, table, first: table.csv(),
    ".tex": lambda name, table, first: _above(first and f"% {first}", in_paper(table, name)),
    ".md": lambda name, table, first: _above(first and escape.markdown(first), table.markdown()),
    ".html": lambda name, table, first: page(table, first),
}
"""The text of a file from its name, a table, and a line above the table, by its ending."""


def check_ending(
    out: str | None,
    key: str = "out",
    known: Iterable[str] | None = None,
    queries: bool = False,
) -> None:
    """Raise HarnessError for an unknown ending, before anything is computed.

    queries: whether the result has rows of questions, which a .parquet contains.
    """
    known = (".json", *FORMS) if known is None else known
    known = (*known, ".parquet") if queries else known
    if out is not None and Path(out).suffix.lower() not in known:
        ending = Path(out).suffix
        fault = f"ending {ending} is not known{nearest(ending, known)}"
        raise HarnessError(
            f"{key}={out}: {fault if ending else 'expected the name of a file with an ending'}; "
            f"known: {', '.join(known)}"
        )


def write_result(
    out: str | None,
    result: Any,
    table: Table,
    paper: Callable[[], Table] | None = None,
    queries: Callable[[], pd.DataFrame] | None = None,
    first: str = "",
) -> list[Path]:
    """Write a result to ``out`` in the form of its ending, each file completely or not at all, and
    return the paths.

    Args:
        out: the file; None: nothing is written.
        result: the content of a .json.
        table: the content of other files.
        paper: makes the content of a .tex; the table is then ``NAME-appendix.tex``.
        queries: makes rows of questions: a .parquet, and ``NAME-queries.csv`` with a .csv.
        first: the first line of texts and pages; in LaTeX a comment.
    """
    check_ending(out, queries=queries is not None)
    if out is None:
        return []
    path = Path(out)

    def beside(name: str) -> Path:
        return path.with_name(f"{path.stem}-{name}{path.suffix}")

    ending = path.suffix.lower()
    if ending == ".parquet" and queries:
        write_frame(path, queries())
        return [path]
    if ending == ".json":
        write_json(path, result)
        return [path]
    tables = {path: table}
    if ending == ".tex" and paper:
        tables = {path: paper(), beside("appendix"): table}
    texts = {place: FORMS[ending](place.stem, content, first) for place, content in tables.items()}
    if ending == ".csv" and queries:
        texts[beside("queries")] = joined_ranks(queries()).to_csv(index=False)
    return list(starmap(write_text, texts.items()))


def _above(first: str, text: str) -> str:
    return f"{escape.terminal(first)}\n\n{text}" if first else text


def page(table: Table, first: str = "") -> str:
    """Return a table as a page of HTML in the style of the site, without scripts or downloads."""
    templates = package_folder("reports/templates")
    scrolled = '<div class="wide" tabindex="0" role="region" aria-label="Table">'
    heading = f"<p><strong>{escape.html(first)}</strong></p>\n" if first else ""
    caption = f'{heading}<p class="caption">{escape.html(table.caption)}</p>'
    return Template((templates / "page.html").read_text(encoding="utf-8")).substitute(
        title=escape.html(table.head),
        style=(templates / "page.css").read_text(encoding="utf-8"),
        content=f"{caption}\n{scrolled}{table.html()}</div>",
        version=escape.html(code_version()),
    )


def joined_ranks(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with ranks as texts: ``1 7 -`` if the third passage is missing."""
    columns = [str(name) for name in frame if str(name).endswith("ranks")]
    return frame.assign(**{name: list(map(_joined, frame[name])) for name in columns})


def _joined(ranks: Iterable[int | None]) -> str:
    return " ".join("-" if rank is None else str(rank) for rank in ranks)
