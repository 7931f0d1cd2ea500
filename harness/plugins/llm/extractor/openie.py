"""Open information extraction: a language model's statements about passages, added to an
extraction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from harness.benchmark import Benchmark
from harness.benchmark.text import Gazetteer, byte_offsets, is_capitalised, normal, words
from harness.core.arrays import Int32Array
from harness.graph.extractor.extraction import KINDS, Extraction, Mentions, Triples

OPEN = KINDS.index("open")
UNKNOWN = -1
Triple = tuple[str, str, str]
"""Subject, predicate, object."""


@dataclass(frozen=True)
class Statements:
    """The statements about one passage, and counts of invalid ones.

    The counts are ``not_entities``, ``not_triples`` (not three texts) and ``empty_names`` (an
    entity, subject or object without a letter or digit).

    Args:
        entities: texts.
        triples: (subject, predicate, object).
        wrong: the counts.
    """

    entities: Sequence[str]
    triples: Sequence[Triple]
    wrong: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, entities: Any, triples: Any) -> Statements:
        """Return the statements of two JSON values: a list of texts and a list of lists of three
        texts.
        """
        names, links, wrong = list[str](), list[Triple](), Counter[str]()
        for value in entities if isinstance(entities, list) else [None]:
            if not isinstance(value, str):
                wrong["not_entities"] += 1
            elif not normal(value):
                wrong["empty_names"] += 1
            else:
                names.append(value)
        for row in triples if isinstance(triples, list) else [None]:
            match row:
                case [str(subject), str(predicate), str(object_)]:
                    if normal(subject) and normal(object_):
                        links.append((subject, predicate.strip(), object_))
                    else:
                        wrong["empty_names"] += 1
                case _:
                    wrong["not_triples"] += 1
        return cls(names, links, wrong)

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


def add_statements(
    base: Extraction, said: Sequence[Statements | None], benchmark: Benchmark
) -> tuple[Extraction, dict[str, object]]:
    """Return ``base`` with the statements about each passage (None: none known), and counts.

    Names of entities, subjects and objects become entities, each mentioned once by its passage with
    the kind ``open``. Questions also mention those names that they contain with a capital or a
    digit, longest first, where ``base`` found nothing.
    """
    stated = [one or Statements((), ()) for one in said]
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
    return Triples.of(rows, list(predicates))


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
