"""The results of evaluate and compare: typed values that are mappings and print as tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from harness.core import escape
from harness.core.table import Column, Source, Table, counted, paragraph, typeset

if TYPE_CHECKING:
    import pandas as pd


class Printed(ABC):
    """A value that is shown as a table with sentences below it."""

    @abstractmethod
    def table(self) -> Table:
        """Return the table; ``.text()``, ``.html()`` and ``.csv()`` format it."""

    def paper(self) -> Table:
        """Return the table of a paper."""
        return self.table()

    @abstractmethod
    def sentences(self, table: Table) -> list[str]:
        """Return the sentences below the table."""

    def __repr__(self) -> str:
        """Return the table as text, and the sentences."""
        table = self.table()
        lines = [line for text in self.sentences(table) for line in paragraph(text)]
        return "\n".join([table.text(), *([""] if lines else []), *lines])

    def _repr_html_(self) -> str:
        table = self.table()
        paragraphs = "".join(f"<p>{escape.html(text)}</p>" for text in self.sentences(table))
        return f"{table._repr_html_()}{paragraphs}"

    def latex(self) -> str:
        """Return the table of a paper in LaTeX (booktabs)."""
        table = self.paper()
        return typeset(table, table.name)


class Result(Mapping[str, Any], Printed):
    """A result: typed fields, a mapping of the command line's JSON, and a table."""

    @cached_property
    def json(self) -> dict[str, object]:
        """The content of ``out=NAME.json``."""
        return self._json()

    @abstractmethod
    def _json(self) -> dict[str, object]: ...

    @property
    @abstractmethod
    def notes(self) -> list[str]:
        """Sentences on what may distort the scores, as the command line prints them."""

    def sentences(self, table: Table) -> list[str]:
        """Return the notes that are not in the table."""
        return self.cautions(table)

    def cautions(self, table: Table, known: Collection[str] = ()) -> list[str]:
        """Return the notes that are not in a table of this result.

        Args:
            table: the table.
            known: notes that are already printed.
        """
        shown = {*table.notes, *table.source.notes, *known}
        return [f"caution: {note}" for note in self.notes if note not in shown]

    def __getitem__(self, key: str) -> Any:
        """Return a value of ``json``."""
        return self.json[key]

    def __iter__(self) -> Iterator[str]:
        """Return an iterator over the keys of ``json``."""
        return iter(self.json)

    def __len__(self) -> int:
        """Return the number of keys of ``json``."""
        return len(self.json)

    @abstractmethod
    def records(self) -> list[dict[str, object]]:
        """Return the rows of ``to_frame``."""

    def query_records(self) -> list[dict[str, object]]:
        """Return the rows of ``to_frame(per_query=True)``."""
        raise NotImplementedError

    def to_frame(self, per_query: bool = False) -> pd.DataFrame:
        """Return a pandas data frame, with scores as shares.

        Args:
            per_query: return a row for each question rather than for each run or comparison.

        Returns:
            The rows.
        """
        import pandas as pd

        records = self.query_records() if per_query else self.records()
        return pd.DataFrame(records)


R = TypeVar("R", bound=Result)


@dataclass(frozen=True, eq=False, repr=False)
class Results(Mapping[str, R], Printed):
    """The results of several runs by name.

    Attributes:
        results: one result or more, on the same questions.
    """

    results: Mapping[str, R]

    def __getitem__(self, name: str) -> R:
        """Return the result of a run."""
        return self.results[name]

    def __iter__(self) -> Iterator[str]:
        """Return an iterator over the names."""
        return iter(self.results)

    def __len__(self) -> int:
        """Return the number of runs."""
        return len(self.results)

    def table(self) -> Table:
        """Return a row for each run, the first one of its own table."""
        tables = [result.table() for result in self.values()]
        parts = [table.take(rows=[0]).without(["questions", "missing"]) for table in tables]
        rows = [[name, *part.rows[0]] for name, part in zip(self, parts, strict=True)]
        columns = [Column("run", "text"), *parts[0].columns]
        source = Source(tables[0].source.extent)
        return Table("scores", counted(len(rows), "run"), columns, rows, source)

    def sentences(self, table: Table) -> list[str]:
        """Return the cautions of all runs."""
        cautions = [text for result in self.values() for text in result.cautions(table)]
        return list(dict.fromkeys(cautions))

    def to_frame(self, per_query: bool = False) -> pd.DataFrame:
        """Return a pandas data frame with a row for each run, or for each run and question."""
        import pandas as pd

        frames = [result.to_frame(per_query).assign(run=name) for name, result in self.items()]
        frame = pd.concat(frames, ignore_index=True)
        return frame[["run", *(name for name in frame if name != "run")]]
