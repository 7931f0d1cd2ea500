"""Open information extraction: a language model's statements about passages, added to an
extraction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from harness.benchmark import Benchmark
from harness.benchmark.text import Gazetteer, byte_offsets, is_capitalised, normal, words
from harness.core.arrays import Int32Array
from harness.graph.extractor import Extractor
from harness.graph.extractor.extraction import (
    KINDS,
    Extraction,
    Mentions,
    NamePlace,
    Triples,
)

OPEN = KINDS.index("open")
UNKNOWN = -1
Triple = tuple[str, str, str]
"""Subject, predicate, object."""
Row = tuple[int, int, int, int]
"""A mention: entity, start, end, kind."""


@dataclass(frozen=True)
class Statements:
    """The statements about one passage, with normalised names, and counts of invalid ones.

    The counts are ``not_entities``, ``not_triples`` (not three texts) and ``empty_names`` (an
    entity, subject or object without a letter or digit).

    Args:
        names: entities, subjects and objects, each once.
        links: (subject, predicate, object).
        wrong: the counts.
    """

    names: Sequence[str] = ()
    links: Sequence[Triple] = ()
    wrong: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, entities: Any, triples: Any) -> Statements:
        """Return the statements of two JSON values: a list of texts and a list of lists of three
        texts.
        """
        names, links, wrong = dict[str, None](), list[Triple](), Counter[str]()
        for value in entities if isinstance(entities, list) else [None]:
            if not isinstance(value, str):
                wrong["not_entities"] += 1
            elif name := normal(value):
                names[name] = None
            else:
                wrong["empty_names"] += 1
        for row in triples if isinstance(triples, list) else [None]:
            match row:
                case [str(subject), str(predicate), str(object_)]:
                    subject_name, object_name = normal(subject), normal(object_)
                    if subject_name and object_name:
                        links.append((subject_name, predicate.strip(), object_name))
                        names |= {subject_name: None, object_name: None}
                    else:
                        wrong["empty_names"] += 1
                case _:
                    wrong["not_triples"] += 1
        return cls(list(names), links, wrong)


def add_statements(
    extractor: Extractor, benchmark: Benchmark, folder: Path, stated: Sequence[Statements | None]
) -> tuple[Extraction, dict[str, object]]:
    """Return an extraction with the statements about each passage (None: none known), and facts.

    Names of entities, subjects and objects become entities, each mentioned once by its passage with
    the kind ``open``.
    """
    (folder / "base").mkdir(exist_ok=True)
    base, facts = extractor.extract(benchmark, folder / "base")
    known = [statements or Statements() for statements in stated]
    names = dict.fromkeys(name for statements in known for name in statements.names)
    number = {name: i for i, name in enumerate(dict.fromkeys([*base.names, *names]))}
    predicates: dict[str, int] = {}
    rows, passages = [], []
    for place, statements in enumerate(known):
        for subject, predicate, object_ in statements.links:
            relation = predicates.setdefault(predicate, len(predicates))
            rows.append((place, number[subject], relation, number[object_]))
        mentions = [(number[name], UNKNOWN, UNKNOWN, OPEN) for name in statements.names]
        passages.append(_with(_rows(base.passages, place), mentions))
    triples = Triples.of(rows, list(predicates))
    wrong = sum((statements.wrong for statements in known), Counter[str]())
    return Extraction(list(number), base.titled, Mentions.of(passages), triples), {
        **facts,
        "openie_entities": len(names),
        "passages_without_triple": sum(not statements.links for statements in known),
        "self_loops": int((triples.subject == triples.object).sum()),
        **{name: wrong[name] for name in ("not_entities", "not_triples", "empty_names")},
    }


def _rows(mentions: Mentions, place: int) -> Int32Array:
    """Return int32[M, 4] of one text: entity, start, end, kind."""
    part = slice(mentions.indptr[place], mentions.indptr[place + 1])
    columns = (mentions.entity, mentions.start, mentions.end, mentions.kind)
    return np.stack([column[part].astype(np.int32) for column in columns], axis=1)


def _with(rows: Int32Array, more: Sequence[Row]) -> Int32Array:
    return np.concatenate([rows, np.array(more, np.int32).reshape(-1, 4)])


def add_open_names(
    base: Iterable[Sequence[NamePlace]], questions: Sequence[str], extraction: Extraction
) -> Iterator[list[NamePlace]]:
    """Yield ``base``, the names in each question, with the names of statements in it.

    The latter have a capital or a digit and overlap no name of ``base``. The longest one counts.
    """
    stated = np.unique(extraction.passages.entity[extraction.passages.kind == OPEN])
    known = Gazetteer([extraction.names[entity] for entity in stated.tolist()])
    for text, names in zip(questions, base, strict=True):
        at, extended = words(text), list(names)
        for name, first, after in known.find(at):
            if any(is_capitalised(text, at, i) for i in range(first, after)):
                place = np.array([at.start[first], at.end[after - 1]])
                start, end = byte_offsets(text, place).tolist()
                if not any(a < end and start < b for _, a, b, _ in names):
                    extended.append((known.names[name], start, end, OPEN))
        yield extended
