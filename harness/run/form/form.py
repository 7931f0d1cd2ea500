"""The forms of files with ranked lists, with one description of each.

All code that depends on forms uses ``FORMS``: reading, writing, messages, the table of the docs and
the round-trip test. All forms except Parquet may be packed (``.json.gz``, ``.trec.gz``; see
harness.core.input.read).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from harness.core.errors import HarnessError
from harness.core.input.read import form_of, is_packed
from harness.core.input.separated import COMMA, TAB
from harness.run import trec
from harness.run.content import LISTS, Content
from harness.run.entries import Entries
from harness.run.form.json_form import read_document, write_document
from harness.run.form.tabular import read_jsonl, read_parquet, read_separated, write_parquet
from harness.run.form.writers import json_lines, separated_lines, trec_lines


@dataclass(frozen=True)
class Form:
    """A form of file.

    Attributes:
        name: its name.
        ending: the ending of file names; "" for any ending that no other form has, None for a
            folder.
        holds: its content, for the docs.
        read: returns the entries of a file of a content. If ``lenient``, comment lines and trailing
            fields of TREC are skipped.
        write: writes a file; None if such files are only read.
        headed: whether its columns have names.
        refused: a regular expression of what no id may hold, and its description for messages.
        packed: whether files may be packed.
    """

    name: str
    ending: str | None
    holds: str
    read: Callable[[Path, Content, bool], Entries]
    write: Callable[[Entries, Path], None] | None = None
    headed: bool = False
    refused: tuple[str, str] | None = None
    packed: bool = True

    def entries(self, path: Path, content: Content = LISTS, lenient: bool = False) -> Entries:
        """Return the entries of a file. Raise HarnessError that names the file, the place and the
        mend.
        """
        try:
            return self.read(path, content, lenient)
        except (pa.ArrowException, OSError, MemoryError, UnicodeDecodeError) as error:
            raise HarnessError(
                f"{path}: no readable {self.name} file ({str(error).splitlines()[0]})"
            ) from error

    def save(self, entries: Entries, path: Path) -> None:
        """Write a file completely or not at all. Raise HarnessError for an id that the form cannot
        hold.
        """
        held = entries.docs.dictionary.take(pc.unique(entries.docs.indices))
        for kind, ids in (("query id", entries.queries.dictionary), ("document id", held)):
            self.check_text(kind, ids)
        if self.write is None:
            raise HarnessError(f"{path}: {self.name} can only be read; write .trec, .csv or .json")
        if not self.packed and is_packed(path):
            raise HarnessError(
                f"{path}: files of {self.name} are packed already; write {path.with_suffix('')}"
            )
        self.write(entries, path)

    def check_text(self, kind: str, texts: pa.StringArray) -> None:
        """Raise HarnessError for a text that the form cannot hold.

        Args:
            kind: what the texts are, for the message.
            texts: the texts.
        """
        if not pc.all(pc.binary_length(texts).cast(pa.bool_())).as_py():
            raise HarnessError(f"{kind} '' is empty; give it a name")
        pattern, fault = self.refused or ("", "")
        if pattern and len(wrong := texts.filter(pc.match_substring_regex(texts, pattern))):
            others = " or ".join(
                f"NAME.{form.ending}" for form in FORMS if form.write and not form.refused
            )
            raise HarnessError(
                f"{kind} {wrong[0].as_py()!r} {fault}, which such a file cannot carry; write "
                f"out={others}"
            )


def _read_trec(path: Path, content: Content, lenient: bool) -> Entries:
    line = replace(content.line, others=named_forms())
    return trec.entries(path, line, lenient, content.ids)


BREAKS = (r"[\x00\r\n]", "holds a line break")
TREC = Form(
    "TREC",
    "",
    f"`{trec.RUN.form}`; the score orders a list",
    _read_trec,
    trec_lines().write,
    refused=(r"[\x00-\x20]|^" + "\ufeff", "holds white space, or begins with a byte order mark"),
)
ROWS = "a row an entry: `query_id` (or `qid`, `topic`), `doc_id` (or `docno`, `pid`), `score`"
FORMS = (
    TREC,
    Form(
        "JSON",
        "json",
        '`{"query": {"document": score}}`; also ids or pairs `[id, score]`, best first',
        read_document,
        write_document,
    ),
    Form("CSV", "csv", ROWS, read_separated(COMMA), separated_lines(COMMA).write, True, BREAKS),
    Form("TSV", "tsv", ROWS, read_separated(TAB), separated_lines(TAB).write, True, BREAKS),
    Form("JSONL", "jsonl", ROWS, read_jsonl, json_lines().write, headed=True),
    Form("Parquet", "parquet", ROWS, read_parquet, write_parquet, headed=True, packed=False),
)
"""All forms."""


def form_named(path: Path) -> Form:
    """Return the form that the ending of a file's name says."""
    return next((form for form in FORMS if form.ending == form_of(path)), TREC)


def recognise(path: Path, lenient: bool = False) -> Form:
    """Return the form of a file by its ending.

    A file whose first line is one of TREC has no head, and is TREC.

    Args:
        path: the file.
        lenient: whether comment lines before the first line are skipped.
    """
    form = form_named(path)
    if not (form.headed and form.packed and path.is_file()):
        return form
    fields = trec.first_line(path, lenient)[1].split()
    return TREC if any(line.fits(fields) for line in trec.LINES) else form


def named_forms() -> str:
    """Return the endings of files that are not TREC, for messages."""
    *others, last = (f".{form.ending}" for form in FORMS if form.ending)
    return f"{', '.join(others)} or {last}"
