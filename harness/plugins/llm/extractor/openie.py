"""Open information extraction: what a language model said of each passage, beside what needs no model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.benchmark import Benchmark
from harness.benchmark.text import Gazetteer, byte_offsets, is_capitalised, normal, words
from harness.core.errors import is_number
from harness.graph.extractor.extraction import KINDS, Extraction, Mentions, Triples

OPEN = KINDS.index("open")
UNKNOWN = -1


@dataclass(frozen=True)
class Statements:
    """Of one passage: entities, (subject, predicate, object) triples, and counts of what was neither.

    What is wrong is counted, never silently dropped: ``not_entities``, ``not_triples`` (not three texts),
    ``empty_names`` (no letter or digit in the name of an entity, a subject or an object).
    confidence: of each triple, in [0, 1]; None where it has none.
    """

    entities: Sequence[str]
    triples: Sequence[tuple[str, str, str]]
    confidence: Sequence[float | None] = ()
    wrong: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, entities: Any, triples: Any, graded: bool = False) -> Statements:
        """From two JSON values that should be a list of texts and a list of lists of three texts.

        graded: a number in [0, 1] may come fourth, how sure it is.
        """
        wrong: Counter[str] = Counter()
        named, stated, sure = [], [], []
        for entity in entities if isinstance(entities, list) else [None]:
            if not isinstance(entity, str):
                wrong["not_entities"] += 1
            elif not normal(entity):
                wrong["empty_names"] += 1
            else:
                named.append(entity)
        for row in triples if isinstance(triples, list) else [None]:
            last = row[3] if graded and isinstance(row, list) and len(row) == 4 else None
            grade = last if is_number(last) and 0 <= last <= 1 else None
            triple = row[:3] if isinstance(row, list) and grade is not None else row
            if not (isinstance(triple, list) and len(triple) == 3 and all(isinstance(part, str) for part in triple)):
                wrong["not_triples"] += 1
            elif not (normal(triple[0]) and normal(triple[2])):
                wrong["empty_names"] += 1
            else:
                stated.append((triple[0], triple[1].strip(), triple[2]))
                sure.append(grade)
        return cls(named, stated, sure, wrong)


def add_statements(
    base: Extraction, said: Sequence[Statements | None], benchmark: Benchmark
) -> tuple[Extraction, dict[str, Any]]:
    """``base`` and what was said of each passage (None: nothing is known of it), and counts.

    Names of entities, subjects and objects become entities, each a mention of kind ``open`` of its passage, once.
    Questions mention, beside what ``base`` found in them, those names that stand in them with a capital or a digit,
    longest first, where ``base`` found nothing.
    """
    number = {name: i for i, name in enumerate(base.names)}
    predicates: dict[str, int] = {}
    wrong: Counter[str] = Counter()
    statements: list[tuple[int, int, int, int]] = []
    mentioned: list[dict[int, None]] = []
    for place, one in enumerate(said):
        found: dict[int, None] = {}
        for entity in one.entities if one else ():
            found[number.setdefault(normal(entity), len(number))] = None
        for subject, predicate, object_ in one.triples if one else ():
            ends = [number.setdefault(normal(name), len(number)) for name in (subject, object_)]
            found.update(dict.fromkeys(ends))
            statements.append((place, ends[0], predicates.setdefault(predicate, len(predicates)), ends[1]))
        mentioned.append(found)
        wrong.update(one.wrong if one else ())
    sure = [grade for one in said if one for grade in one.confidence]
    triples = Triples.of(statements, list(predicates), sure if any(grade is not None for grade in sure) else None)
    rows = [np.array([(name, UNKNOWN, UNKNOWN, OPEN) for name in found], np.int32) for found in mentioned]
    names = list(number)
    known = Gazetteer(list(dict.fromkeys(name for found in mentioned for name in (names[i] for i in found))))
    asked = [
        _unseen(text, known, number, _rows(base.questions, place)) for place, text in enumerate(benchmark.questions)
    ]
    extraction = Extraction(names, base.titled, _joined(base.passages, rows), _joined(base.questions, asked), triples)
    return extraction, {
        "openie_entities": len(known.names),
        "passages_without_triple": sum(1 for one in said if not (one and one.triples)),
        "self_loops": int((triples.subject == triples.object).sum()),
        **{name: wrong[name] for name in ("not_entities", "not_triples", "empty_names")},
    }


def _rows(mentions: Mentions, place: int) -> NDArray[np.int32]:
    """int32[M, 4] of one text: entity, start, end, kind."""
    part = slice(mentions.indptr[place], mentions.indptr[place + 1])
    columns = (mentions.entity, mentions.start, mentions.end, mentions.kind)
    return np.stack([column[part].astype(np.int32) for column in columns], axis=1)


def _unseen(text: str, known: Gazetteer, number: dict[str, int], base: NDArray[np.int32]) -> NDArray[np.int32]:
    """int32[M, 4]: the known names in a question that touch none of its mentions."""
    at = words(text)
    found = []
    for name, first, after in known.find(at):
        if any(is_capitalised(text, at, i) for i in range(first, after)):
            start, end = byte_offsets(text, np.array([at.start[first], at.end[after - 1]])).tolist()
            if not ((base[:, 1] < end) & (start < base[:, 2])).any():
                found.append((number[known.names[name]], start, end, OPEN))
    return np.array(found, dtype=np.int32).reshape(-1, 4)


def _joined(base: Mentions, more: Sequence[NDArray[np.int32]]) -> Mentions:
    parts = [np.concatenate([_rows(base, place), row.reshape(-1, 4)]) for place, row in enumerate(more)]
    return Mentions.of(parts)
