"""Lists in Python and JSON: ``{query: {document: number}}``, pairs, or ids alone.

Ids are texts or whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from harness.core.arrays import arrow
from harness.core.errors import HarnessError, described
from harness.run.content import Content
from harness.run.entries import Entries, id_of, number_of

Listed = Mapping[Any, Any]
"""``{query id: documents}``. The documents are ``{id: number}``, pairs ``(id, number)``, or ids,
best first.
"""
FORM = "{query id: {document id: number}}, pairs (document id, number) or document ids"


def entries_of(source: str, value: object, content: Content) -> Entries:
    """Return the entries of ``Listed``, including queries with an empty list.

    Args:
        source: the name of the value, for messages.
        value: the lists.
        content: the content of the entries.

    Raises:
        HarnessError: another type of value, or a repeated id.
    """
    if not isinstance(value, Mapping):
        raise HarnessError(f"{source}: expected {FORM}, got {described(value)}")
    lists: dict[str, dict[str, float]] = {}
    for key, answer in value.items():
        query = id_of(f"{source}: the id of a query", key)
        if query in lists:
            raise HarnessError(
                f"{source}: query {query} is repeated, as a number and as a text; keep one"
            )
        if isinstance(answer, (set, frozenset)) and not content.judged:
            raise HarnessError(
                f"{source}: query {query}: a set has no order; give a list, best first"
            )
        lists[query] = _list(f"{source}: query {query}", answer, content.alone)
    rows = np.repeat(
        np.arange(len(lists), dtype=np.int32), [len(documents) for documents in lists.values()]
    )
    docs = arrow(doc for documents in lists.values() for doc in documents)
    scores = np.array(
        [number for documents in lists.values() for number in documents.values()], dtype=np.float64
    )
    return Entries(
        pa.DictionaryArray.from_arrays(arrow(rows), arrow(lists)),
        docs.dictionary_encode(),
        scores,
        place=lambda entry: f"{source}: entry {entry + 1}",
        ordered=not any(isinstance(answer, Mapping) for answer in value.values()),
    )


def _list(where: str, answer: object, alone: Callable[[int], float]) -> dict[str, float]:
    """Return the number of each document of a list; ``alone`` gives that of an id by its place."""
    if isinstance(answer, str) or not isinstance(answer, Iterable) or hasattr(answer, "iloc"):
        mend = "; give its .to_dict(), or .tolist() of ids" if hasattr(answer, "iloc") else ""
        raise HarnessError(
            f"{where}: expected {{document id: number}}, pairs or ids, got {described(answer)}"
            f"{mend}"
        )
    if (
        type(answer) is dict
        and {*map(type, answer)} <= {str}
        and {*map(type, answer.values())} <= {float}
    ):
        return answer
    named: dict[str, float] = {}
    pairs = answer.items() if isinstance(answer, Mapping) else _pairs(where, list(answer), alone)
    for key, number in pairs:
        document = key if type(key) is str else id_of(f"{where}: the id of a document", key)
        if document in named:
            raise HarnessError(f"{where}: document {document} is repeated in its list; keep one")
        named[document] = (
            number if type(number) is float else number_of(f"{where}, document {document}", number)
        )
    return named


def _pairs(
    where: str, entries: Sequence[Any], alone: Callable[[int], float]
) -> Iterable[tuple[Any, Any]]:
    """Return ``(document, number)`` of a list's entries, which are such pairs or ids."""
    paired = [isinstance(entry, (list, tuple)) and len(entry) == 2 for entry in entries]
    if len({*paired}) > 1:
        number = paired.index(not paired[0]) + 1
        raise HarnessError(
            f"{where}: entry {number}: some have a score and some have none; give all one"
        )
    return entries if all(paired) else [(entry, alone(n)) for n, entry in enumerate(entries)]


def mapping_of(name: str, value: object) -> Any:
    """Return ``{query: {document: number}}`` of a run or qrels of ranx."""
    give = getattr(value, "to_dict", None)
    if give is None or isinstance(value, (type, Mapping)):
        raise HarnessError(f"{name}: expected a run or qrels of ranx, got {described(value)}")
    return give()
