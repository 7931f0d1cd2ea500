"""Answers to questions as other tools write them: for each tool, the places of its hits and their
ids.

A list, best first, may have ids, pairs ``[id, score]`` and nodes, as LangChain and LlamaIndex write
them. A solution of HippoRAG 2 (``QuerySolution.to_dict()``) has texts as documents, or the
``source_id`` of their index. A chunk of LightRAG's ``query_data`` belongs to the document
``file_path``. MTEB has a subset and a split around its queries.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from harness.core.errors import HarnessError
from harness.core.input import value_at

Place = tuple[str, ...]
"""The keys of nested objects, from outside, that lead to a value."""
Number = Callable[[int], float]
"""The score of a document without one, by its place from 0."""
KEYS = ("id", "doc_id", "document_id", "source")
"""The keys that name the document in the metadata of a node without an id."""
UNNAMED = ("", "unknown_source")
"""LightRAG's ``file_path`` of a text that was inserted without one."""


class Hit(NamedTuple):
    """A document of a list.

    Attributes:
        name: its id.
        score: its score.
        scored: whether it has a score.
        is_piece: whether the hit is a piece of the document.
    """

    name: Any
    score: Any
    scored: bool
    is_piece: bool


@dataclass(frozen=True)
class Tool:
    """The form of a tool's answers.

    Attributes:
        name: the name of the tool.
        form: the form of its file, for the page of forms.
        hits: returns the hits of an answer, best first, or None if it is no answer of this tool.
        ids: the places of a hit's document id. The first one that exists counts.
        pieces: the same for the document of a hit that has no id of its own. The first piece of a
            document counts.
        score: the place of a hit's score.
        gold: the place of an answer's supporting passages; None for none.
        rounded: whether equal scores keep the order of the list.
    """

    name: str
    form: str
    hits: Callable[[str, Any], Sequence[Any] | None]
    ids: Sequence[Place] = ()
    pieces: Sequence[Place] = ()
    score: Place = ("score",)
    gold: Place | None = None
    rounded: bool = False

    def judged(self, place: str, answer: Any) -> Sequence[Any]:
        """Return the supporting passages of an answer. Raise HarnessError if it has none."""
        found = None if self.gold is None else _nodes(place, value_at(answer, self.gold))
        if found is None:
            name = ".".join(self.gold or ("supporting passages",))
            raise HarnessError(
                f"{place}: this answer of {self.name} has no {name}; give other gold"
            )
        return found

    def pairs(
        self, place: str, hits: Sequence[Any], alone: Number
    ) -> tuple[list[tuple[Any, Any]], int]:
        """Return the id and score of each hit, and the number of further pieces that were left out.

        Args:
            place: the query, for messages.
            hits: the hits.
            alone: the score of each hit if none has one.

        Raises:
            HarnessError: a hit has no id, or only some hits have a score.
        """
        read = [self._hit(f"{place}: entry {number}", hit) for number, hit in enumerate(hits, 1)]
        scored = [hit.scored for hit in read]
        if len({*scored}) > 1:
            number = scored.index(not scored[0]) + 1
            raise HarnessError(
                f"{place}: entry {number}: some have a score and some have none; give all one"
            )
        pieces: set[Any] = set()
        found: list[tuple[Any, Any]] = []
        for hit in read:
            if hit.is_piece and hit.name in pieces:
                continue
            pieces |= {hit.name} if hit.is_piece else set()
            found.append((hit.name, hit.score if hit.scored else alone(len(found))))
        return falling(found) if self.rounded else found, len(hits) - len(found)

    def _hit(self, place: str, hit: Any) -> Hit:
        is_pair = isinstance(hit, (list, tuple)) and len(hit) == 2
        entry, score = hit if is_pair else (hit, value_at(hit, self.score))
        name, is_piece = self._id(entry)
        if name is None:
            raise HarnessError(
                f"{place}: expected a document id, [id, score] or a node with an id, found "
                f"{str(hit)[:60]}"
            )
        return Hit(name, score, is_pair or score is not None, is_piece)

    def _id(self, entry: Any) -> tuple[Any, bool]:
        """Return the id of a hit, or of the document that it is a piece of, and whether it is a
        piece.
        """
        if not isinstance(entry, Mapping):
            return None if isinstance(entry, (list, tuple)) else entry, False
        own = first_at(entry, self.ids)
        return (first_at(entry, self.pieces), True) if own is None else (own, False)


def first_at(node: Any, places: Sequence[Place]) -> Any:
    """Return the first text or whole number at one of these places of a node, or None."""
    values = (value_at(node, place) for place in places)
    return next((one for one in values if isinstance(one, (str, int)) and one not in UNNAMED), None)


def falling(pairs: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Return the pairs with each score slightly lowered if it equals the one before: rounded scores
    keep their order.
    """
    found: list[tuple[Any, Any]] = []
    for place, (name, score) in enumerate(pairs):
        same = place > 0 and score == pairs[place - 1][1] and isinstance(score, float)
        found.append((name, math.nextafter(found[-1][1], -math.inf) if same else score))
    return found


def is_solution(answer: Any) -> bool:
    """Return whether the answer is a solution of HippoRAG 2."""
    return (
        isinstance(answer, Mapping)
        and isinstance(answer.get("docs"), list)
        and "question" in answer
    )


def _of_solution(place: str, answer: Any) -> Sequence[Any] | None:
    """Return the documents of a solution, each with its entries in the other lists of the
    solution.
    """
    if not is_solution(answer):
        return None
    docs = answer["docs"]
    beside = {"doc": docs}
    for name in ("doc_scores", "doc_metadata"):
        found = answer.get(name)
        if found is not None and (not isinstance(found, list) or len(found) != len(docs)):
            raise HarnessError(
                f"{place}: {name}: expected one for each of {len(docs)} docs, found "
                f"{str(found)[:60]}"
            )
        beside[name] = [None] * len(docs) if found is None else found
    return [dict(zip(beside, hit, strict=True)) for hit in zip(*beside.values(), strict=True)]


def _chunks(place: str, answer: Any) -> Sequence[Any] | None:
    found = value_at(answer, ("data", "chunks"))
    return found if isinstance(found, list) else None


def _nodes(place: str, answer: Any) -> Sequence[Any] | None:
    several = isinstance(answer, Iterable) and not isinstance(answer, (str, Mapping))
    several = several and not hasattr(answer, "iloc")
    return list(answer) if several else None


TOOLS = (
    Tool(
        "HippoRAG 2",
        "its solutions; ids are `source_id`, else texts; `gold=` reads their `gold_docs`",
        _of_solution,
        pieces=(("doc_metadata", "source_id"), ("doc",)),
        score=("doc_scores",),
        gold=("gold_docs",),
        rounded=True,
    ),
    Tool(
        "LightRAG",
        "its `query_data` by query id; a chunk is its `file_path`",
        _chunks,
        pieces=(("file_path",), ("chunk_id",)),
    ),
    Tool(
        "LangChain, LlamaIndex",
        "by query id the nodes, best first; without ids by their metadata's "
        + ", ".join(f"`{key}`" for key in KEYS),
        _nodes,
        ids=(("node", "id_"), ("kwargs", "id"), ("id",), ("id_",)),
        pieces=tuple((*inside, "metadata", key) for inside in (("kwargs",), ()) for key in KEYS),
        gold=(),
    ),
)


def listed(place: str, answer: Any, alone: Number, judged: bool = False) -> tuple[Any, int]:
    """Return ``(id, score)`` of each hit of a list or of a tool's answer, and the number of hits
    left out.

    Any other answer is returned unchanged.

    Args:
        place: the query, for messages.
        answer: the answer.
        alone: the score of a hit without one.
        judged: whether the supporting passages are read instead.
    """
    for tool in TOOLS:
        hits = tool.hits(place, answer)
        if hits is not None:
            return tool.pairs(place, tool.judged(place, answer) if judged else hits, alone)
    return answer, 0


def by_question(source: str, found: Any) -> Any:
    """Return HippoRAG's solutions by their questions, or MTEB's predictions by their queries.

    Any other content is returned unchanged.
    """
    if isinstance(found, list) and found and all(map(is_solution, found)):
        return _solutions(source, found)
    parts = (
        {name: inner for name, inner in found.items() if name != "mteb_model_meta"}
        if _is_nested(found, 1)
        else {}
    )
    if not parts or not all(_is_nested(inner, 3) for inner in parts.values()):
        return found
    inside = {
        f"{subset}/{split}": own
        for subset, splits in parts.items()
        for split, own in splits.items()
    }
    if len(inside) > 1:
        raise HarnessError(f"{source}: predictions of {', '.join(inside)}; write a file for each")
    return dict(next(iter(inside.values())))


def _solutions(source: str, solutions: Sequence[Any]) -> dict[str, object]:
    found: dict[str, object] = {}
    for number, one in enumerate(solutions, 1):
        asked = one["question"]
        if not isinstance(asked, str) or asked in found:
            raise HarnessError(
                f"{source}: entry {number}: expected a new question, found {str(asked)[:60]}"
            )
        found[asked] = one
    return found


def _is_nested(value: Any, levels: int) -> bool:
    """Return whether a value has that many levels of mappings, by its first values."""
    if levels == 1 or not isinstance(value, dict):
        return isinstance(value, dict)
    return bool(value) and _is_nested(next(iter(value.values())), levels - 1)
