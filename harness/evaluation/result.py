"""What evaluate and compare return: a typed value that is a mapping, too, and shows itself as a
table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from harness.core.table import TWO_COLUMNS, Table, counted, typeset
from harness.evaluation.coverage import Coverage

if TYPE_CHECKING:
    import pandas as pd


def coverage_notes(coverages: Mapping[str, Coverage]) -> list[str]:
    """Sentences on the queries that each run lacks, and the warnings of its coverage."""
    lacking = [
        f"{name} has no list for {one.missing} of {counted(one.queries, 'question')}; these "
        "count as not found."
        for name, one in coverages.items()
        if one.missing and not one.few
    ]
    return lacking + [
        f"{name}: only {line}." for name, one in coverages.items() for line in one.warnings()
    ]


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
        """The table as text."""
        return self.table().text()

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

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
