"""Open information extraction: a language model's statements about passages, added to an
extraction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from harness.benchmark import Benchmark
from harness.benchmark.text import Gazetteer, byte_offsets, is_capitalised, normal, words
from harness.core.arrays import Int32Array
from harness.core.errors import is_number
from harness.graph.extractor.extraction import KINDS, Extraction, Mentions, Triples

OPEN = KINDS.index("open")
UNKNOWN = -1
Triple = tuple[str, str, str]
"""Subject, predicate, object."""
T = TypeVar("T")


@dataclass(frozen=True)
class Statements:
    """The statements about one passage, and counts of invalid ones.

    The counts are ``not_entities``, ``not_triples`` (not three texts) and ``empty_names`` (an
    entity, subject or object without a letter or digit).

    Args:
        entities: texts.
        triples: (subject, predicate, object).
        confidence: of each triple, in [0, 1], or None.
        wrong: the counts.
    """

    entities: Sequence[str]
    triples: Sequence[Triple]
    confidence: Sequence[float | None] = ()
    wrong: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, entities: Any, triples: Any, graded: bool = False) -> Statements:
        """Return the statements of two JSON values: a list of texts and a list of lists of three
        texts.

        With ``graded``, a fourth part of a triple in [0, 1] is its confidence.
        """
        wrong: Counter[str] = Counter()
        named = _kept(_entity, entities, wrong)
        stated = _kept(_graded_triple if graded else _plain_triple, triples, wrong)
        return cls(named, [triple for triple, _ in stated], [grade for _, grade in stated], wrong)

    @cached_property
    def links(self) -> list[Triple]:
        """The triples with normalised subject and object."""
        return [
            (normal(subject), predicate, normal(object_))
            for subject, predicate, object_ in self.triples
        ]

    @cached_property
    def names(self) -> list[str]:
        """All normalised names, each once."""
        ends = (name for subject, _, object_ in self.links for name in (subject, object_))
        return list(dict.fromkeys([*map(normal, self.entities), *ends]))


class Misfit(Exception):
    """Raised for an invalid entity or triple, with the name of its count."""


def _kept(read: Callable[[Any], T], rows: Any, wrong: Counter[str]) -> list[T]:
    """Return the valid rows of a list; invalid ones are counted."""
    found = []
    for row in rows if isinstance(rows, list) else [None]:
        try:
            found.append(read(row))
        except Misfit as fault:
            wrong[str(fault)] += 1
    return found


def _entity(value: Any) -> str:
    if not isinstance(value, str):
        raise Misfit("not_entities")
    if not normal(value):
        raise Misfit("empty_names")
    return value


def _plain_triple(row: Any) -> tuple[Triple, None]:
    if not (isinstance(row, list) and len(row) == 3 and all(isinstance(part, str) for part in row)):
        raise Misfit("not_triples")
    subject, predicate, object_ = row
    if not (normal(subject) and normal(object_)):
        raise Misfit("empty_names")
    return (subject, predicate.strip(), object_), None


def _graded_triple(row: Any) -> tuple[Triple, float | None]:
    grade = row[3] if isinstance(row, list) and len(row) == 4 else None
    if not (is_number(grade) and 0 <= grade <= 1):
        return _plain_triple(row)
    return _plain_triple(row[:3])[0], grade


NOTHING = Statements((), ())


def add_statements(
    base: Extraction, said: Sequence[Statements | None], benchmark: Benchmark
) -> tuple[Extraction, dict[str, object]]:
    """Return ``base`` with the statements about each passage (None: none known), and counts.

    Names of entities, subjects and objects become entities, each mentioned once by its passage with
    the kind ``open``. Questions also mention those names that they contain with a capital or a
    digit, longest first, where ``base`` found nothing.
    """
    stated = [one or NOTHING for one in said]
    known = Gazetteer(list(dict.fromkeys(name for one in stated for name in one.names)))
    number = {name: i for i, name in enumerate(dict.fromkeys([*base.names, *known.names]))}
    triples = _triples(stated, number)
    rows = [
        np.array([(number[name], UNKNOWN, UNKNOWN, OPEN) for name in one.names], np.int32)
        for one in stated
    ]
    asked = [
        _unseen(text, known, number, _rows(base.questions, place))
        for place, text in enumerate(benchmark.questions)
    ]
    mentions = _joined(base.passages, rows), _joined(base.questions, asked)
    wrong: Counter[str] = Counter()
    for one in stated:
        wrong.update(one.wrong)
    return Extraction(list(number), base.titled, *mentions, triples), {
        "openie_entities": len(known.names),
        "passages_without_triple": sum(not one.triples for one in stated),
        "self_loops": int((triples.subject == triples.object).sum()),
        **{name: wrong[name] for name in ("not_entities", "not_triples", "empty_names")},
    }


def _triples(stated: Sequence[Statements], number: Mapping[str, int]) -> Triples:
    """Return the triples of all passages. ``number`` has each entity by its name."""
    links = [(place, *link) for place, one in enumerate(stated) for link in one.links]
    predicates = {
        name: i for i, name in enumerate(dict.fromkeys(predicate for _, _, predicate, _ in links))
    }
    rows = [
        (place, number[one], predicates[predicate], number[other])
        for place, one, predicate, other in links
    ]
    sure = [grade for one in stated for grade in one.confidence]
    return Triples.of(
        rows, list(predicates), sure if any(grade is not None for grade in sure) else None
    )


def _rows(mentions: Mentions, place: int) -> Int32Array:
    """Return int32[M, 4] of one text: entity, start, end, kind."""
    part = slice(mentions.indptr[place], mentions.indptr[place + 1])
    columns = (mentions.entity, mentions.start, mentions.end, mentions.kind)
    return np.stack([column[part].astype(np.int32) for column in columns], axis=1)


def _unseen(text: str, known: Gazetteer, number: dict[str, int], base: Int32Array) -> Int32Array:
    """Return int32[M, 4], the known names in a question that overlap none of its mentions."""
    at = words(text)
    found = []
    for name, first, after in known.find(at):
        if any(is_capitalised(text, at, i) for i in range(first, after)):
            start, end = byte_offsets(text, np.array([at.start[first], at.end[after - 1]])).tolist()
            if not ((base[:, 1] < end) & (start < base[:, 2])).any():
                found.append((number[known.names[name]], start, end, OPEN))
    return np.array(found, dtype=np.int32).reshape(-1, 4)


def _joined(base: Mentions, more: Sequence[Int32Array]) -> Mentions:
    parts = [
        np.concatenate([_rows(base, place), row.reshape(-1, 4)]) for place, row in enumerate(more)
    ]
    return Mentions.of(parts)
