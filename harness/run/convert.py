"""To and from the objects of other evaluation libraries. None of them is needed to import this module.

pytrec_eval's runs are plain dictionaries: ``Run.from_dict`` and ``Run.to_dict``; its qrels ``Gold.from_dict`` and
``Gold.to_dict``; what its ``evaluate`` returns is the ``per_query`` part of ``harness.evaluate``. ``from_frame`` reads
PyTerrier's frames as they are; for its ``evaluate`` rename ``query_id`` and ``doc_id`` to ``qid`` and ``docno``.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from harness.run import Run
from harness.run.frame import from_frame, to_frame

__all__ = ["from_frame", "from_ir_measures", "from_ranx", "results_frame", "to_frame", "to_ir_measures", "to_ranx"]


if TYPE_CHECKING:
    import pandas as pd


def to_ranx(run: Run, name: str | None = None) -> Any:
    """A ``ranx.Run``; without the queries whose list is empty, which ranx does not take."""
    ranx = importlib.import_module("ranx")
    return ranx.Run({query: listed for query, listed in run.to_dict().items() if listed}, name=name)


def from_ranx(run: Any) -> Run:
    """The run of a ``ranx.Run``."""
    return Run.from_dict({str(query): dict(listed) for query, listed in run.to_dict().items()})


def to_ir_measures(run: Run) -> list[Any]:
    """``ir_measures.ScoredDoc`` tuples, best document first."""
    from ir_measures import ScoredDoc

    return [ScoredDoc(query, doc, score) for query, listed in run.to_dict().items() for doc, score in listed.items()]


def from_ir_measures(scored: Iterable[Any]) -> Run:
    """The run of ``(query_id, doc_id, score)`` tuples with these attributes."""
    lists: dict[str, dict[str, float]] = {}
    for entry in scored:
        lists.setdefault(entry.query_id, {})[entry.doc_id] = entry.score
    return Run.from_dict(lists)


def results_frame(result: Mapping[str, Any]) -> pd.DataFrame:
    """A row a query, a column a metric, of what ``harness.evaluate`` returns."""
    import pandas as pd

    return pd.DataFrame.from_dict(result["per_query"], orient="index").rename_axis("query_id")
