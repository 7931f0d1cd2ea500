"""Lists as Python holds them: ``{query: {document: number}}``, pairs, or ids alone; ids are texts or whole numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from numbers import Integral, Real
from typing import Any

from harness.core.errors import HarnessError, described

Listed = Mapping[Any, Any]
"""``{query id: documents}``, where documents are ``{id: number}``, pairs ``(id, number)``, or ids, best first."""
FORM = "{query id: {document id: number}}, pairs (document id, number) or document ids"


def lists_of(name: str, value: object, alone: Callable[[int], float]) -> dict[str, dict[str, float]]:
    """``{query id: {document id: number}}`` of ``Listed``.

    name: of the caller, for messages.    alone: the number of an id that has none, by its place from 0.
    Raises HarnessError for anything else, an id twice among them.
    """
    if not isinstance(value, Mapping):
        raise HarnessError(f"{name}: expected {FORM}, got {described(value)}")
    lists: dict[str, dict[str, float]] = {}
    for key, found in value.items():
        query = _id(f"{name}: query", key)
        if query in lists:
            raise HarnessError(f"{name}: query {query} stands there twice, as a number and as a text; keep one")
        lists[query] = _list(f"{name}: query {query}", found, alone)
    return lists


def _list(where: str, found: object, alone: Callable[[int], float]) -> dict[str, float]:
    if isinstance(found, str) or not isinstance(found, Iterable):
        raise HarnessError(f"{where}: expected {{document id: number}}, pairs or ids, got {described(found)}")
    pairs = found.items() if isinstance(found, Mapping) else _pairs(found, alone)
    listed: dict[str, float] = {}
    for key, number in pairs:
        document = key if type(key) is str else _id(f"{where}: document", key)
        if document in listed:
            raise HarnessError(f"{where}: document {document} stands twice in its list; keep one")
        if type(number) is not float and not isinstance(number, Real):
            raise HarnessError(f"{where}, document {document}: expected a number, got {number!r:.60}")
        listed[document] = float(number)
    return listed


def _pairs(found: Iterable[Any], alone: Callable[[int], float]) -> Iterator[tuple[Any, Any]]:
    for place, one in enumerate(found):
        pair = isinstance(one, (tuple, list)) and len(one) == 2
        yield (one[0], one[1]) if pair else (one, alone(place))


def _id(where: str, value: object) -> str:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(int(value))
    raise HarnessError(f"{where}: an id is a text or a whole number, got {value!r:.60}")


def mapping_of(name: str, value: object) -> Any:
    """``{query: {document: number}}`` of a run or qrels of ranx."""
    give = getattr(value, "to_dict", None)
    if give is None or isinstance(value, (type, Mapping)):
        raise HarnessError(f"{name}: expected a run or qrels of ranx, got {described(value)}")
    return give()
