"""What graph RAG systems write of a question: HippoRAG 2's solutions, and what LightRAG's ``query_data`` answers.

A solution (``QuerySolution.to_dict()``) has texts as documents; where they were indexed with a ``source_id``, that is
taken. A chunk of LightRAG is its document's ``file_path``, or its own ``chunk_id`` where the document has no name. Of
several chunks of a document the first counts.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from harness.core.errors import HarnessError

UNNAMED = "unknown_source"
"""LightRAG's ``file_path`` of a text that was inserted without one."""


def by_question(path: Path, solutions: Any) -> Any:
    """A list of solutions by their questions; anything else as it is."""
    if not isinstance(solutions, list) or not solutions or not all(map(_is_solution, solutions)):
        return solutions
    found: dict[str, Any] = {}
    for number, one in enumerate(solutions, 1):
        asked = one.get("question")
        if not isinstance(asked, str) or asked in found:
            raise HarnessError(f"{path}: entry {number}: expected a question of its own, found {str(asked)[:60]}")
        found[asked] = one
    return found


def ranked(place: str, answer: Any) -> Any:
    """The documents of an answer, best first, with scores where it has some; anything else as it is.

    place: the file and the query, for a message. Equal scores, which HippoRAG rounds, keep the order of the list.
    """
    if _is_solution(answer):
        docs = answer["docs"]
        metadata = _beside(place, answer, "doc_metadata") or [None] * len(docs)
        names = [_source(*one) for one in zip(docs, metadata, strict=True)]
        scores = _beside(place, answer, "doc_scores")
        return list(dict.fromkeys(names)) if scores is None else _in_order(names, scores)
    data = answer.get("data") if isinstance(answer, dict) else None
    chunks = data.get("chunks") if isinstance(data, dict) else None
    return list(dict.fromkeys(map(_chunk, chunks))) if isinstance(chunks, list) else answer


def supporting(place: str, answer: Any) -> Any:
    """The supporting passages of a solution; anything else as it is.    place: as of ``ranked``."""
    if not _is_solution(answer):
        return answer
    found = answer.get("gold_docs")
    if not isinstance(found, list):
        raise HarnessError(f"{place}: this solution has no gold_docs; run HippoRAG with them, or give other gold")
    return found


def _is_solution(one: Any) -> bool:
    return isinstance(one, dict) and isinstance(one.get("docs"), list) and "question" in one


def _beside(place: str, answer: dict[str, Any], name: str) -> list[Any] | None:
    """What a solution says of each document, if it does."""
    found, docs = answer.get(name), answer["docs"]
    if found is not None and (not isinstance(found, list) or len(found) != len(docs)):
        raise HarnessError(f"{place}: {name}: expected one for each of {len(docs)} docs, found {str(found)[:60]}")
    return found


def _source(text: Any, metadata: Any) -> str:
    source = metadata.get("source_id") if isinstance(metadata, dict) else None
    return str(text if source is None else source)


def _chunk(chunk: Any) -> str:
    if not isinstance(chunk, dict):
        return str(chunk)
    file = chunk.get("file_path")
    return str(chunk.get("chunk_id") if file in (None, "", UNNAMED) else file)


def _in_order(names: list[str], scores: list[Any]) -> dict[str, Any]:
    """The first score of each name, a little lower where it equals the one before."""
    found: dict[str, Any] = {}
    before: Any = None
    lower: Any = None
    for name, score in zip(names, scores, strict=True):
        lower = math.nextafter(lower, -math.inf) if isinstance(lower, float) and score == before else score
        before = score
        found.setdefault(name, lower)
    return found
