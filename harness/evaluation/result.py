"""What evaluate and compare return: a typed value that is a mapping, too, and shows itself as a
table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from harness.core import escape
from harness.core.table import TWO_COLUMNS, Table, paragraph, typeset

if TYPE_CHECKING:
    import pandas as pd


class Result(Mapping[str, Any], ABC):
    """A result: its fields under their names, the JSON of the command line as a mapping, a table to
    look at.
    """

    @cached_property
    def json(self) -> dict[str, object]:
        """What the command line writes to ``out=NAME.json``."""
        return self._json()

    @abstractmethod
    def _json(self) -> dict[str, object]: ...

    @property
    @abstractmethod
    def notes(self) -> list[str]:
        """What of the files may make the scores mean something else, a sentence each; what the
        command line says.
        """

    def cautions(self, table: Table, known: Collection[str] = ()) -> list[str]:
        """Return the notes that a table of this result does not have itself.

        known: those that were printed before.
        """
        told = {*table.notes, *table.source.notes, *known}
        return [f"caution: {note}" for note in self.notes if note not in told]

    @abstractmethod
    def table(self) -> Table:
        """Its table; ``.text()``, ``.html()`` and ``.csv()`` are its forms."""

    def __getitem__(self, key: str) -> Any:
        """A value of ``json``."""
        return self.json[key]

    def __iter__(self) -> Iterator[str]:
        """The keys of ``json``."""
        return iter(self.json)

    def __len__(self) -> int:
        """How many keys ``json`` has."""
        return len(self.json)

    def __repr__(self) -> str:
        """The table as text, and the notes."""
        table = self.table()
        told = (line for note in self.cautions(table) for line in paragraph(note))
        return "\n".join([table.text(), *told])

    def _repr_html_(self) -> str:
        table = self.table()
        told = "".join(f"<p>{escape.html(note)}</p>" for note in self.cautions(table))
        return f"{table._repr_html_()}{told}"

    @abstractmethod
    def records(self) -> list[dict[str, object]]:
        """The rows of ``to_frame``."""

    def query_records(self) -> list[dict[str, object]]:
        """The rows of ``to_frame(per_query=True)``."""
        raise NotImplementedError

    def to_frame(self, per_query: bool = False) -> pd.DataFrame:
        """A data frame of pandas, scores in shares.

        Args:
            per_query: a row a query in place of a row a run or comparison.

        Returns:
            The rows.
        """
        import pandas as pd

        return pd.DataFrame(self.query_records() if per_query else self.records())

    def latex(self) -> str:
        """The table in LaTeX (booktabs)."""
        table = self.table()
        return typeset(table, TWO_COLUMNS, table.name)
