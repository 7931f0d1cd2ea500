"""Aliases that a text states: X, also known as Y."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import ClassVar

from harness.benchmark import Benchmark
from harness.graph.alias import EVERYWHERE, Rows, rows
from harness.graph.extractor import Extraction

_OFTEN = "also|better|best|formerly|previously|originally|commonly|popularly|professionally|sometimes|otherwise"  # noqa: E501
_KNOWN = rf"(?:(?:{_OFTEN}) )?known (?:simply |professionally )?as |(?:{_OFTEN}) (?:called|named|credited as|billed as) "  # noqa: E501
_SHORT = r"a\.?k\.?a\.? |nicknamed "
_CUE = re.compile(rf"\b(?:{_KNOWN}|{_SHORT}|née |né |born )[\"“'‘]?(?:the )?", re.I)
_SAYS = re.compile(rf"(?:(?:is|was|are|were) )?(?:{_KNOWN}|{_SHORT})", re.I)
_SENTENCE = re.compile(r"(?<!\b[A-Za-z])(?<!\b(?:St|Jr|Dr|Mr))[.!?](?=\s+[A-Z])")


@dataclass(frozen=True)
class KnownAs:
    """An alias rule for statements such as "also known as".

    Y refers to X everywhere if X is a passage's title and, in the passage's first sentence, one of
    the phrases also / better / formerly / ... known as, a.k.a., nicknamed, born, née comes right
    before a mention of Y, or if a triple states it (``X, also known as, Y``). Y must have two words
    or more, must not be a title, and must be stated for one X only, because a surname or a first
    name names many.
    """

    version: ClassVar[int] = 1

    def find(self, benchmark: Benchmark, extraction: Extraction) -> Rows:
        """Return the aliases. See ``harness.graph.alias.Alias``."""
        titles = set(extraction.titled[extraction.titled >= 0].tolist())
        meant: dict[int, set[int]] = defaultdict(set)
        for known, whose in [*_read(benchmark, extraction), *_said(extraction)]:
            if known != whose and known not in titles and " " in extraction.names[known]:
                meant[known].add(whose)
        return rows(
            [
                (EVERYWHERE, known, min(whose))
                for known, whose in sorted(meant.items())
                if len(whose) == 1
            ]
        )


def _read(benchmark: Benchmark, extraction: Extraction) -> list[tuple[int, int]]:
    """Return the pairs (Y, X) of first sentences."""
    found, mentions = [], extraction.passages
    for passage, whole in enumerate(benchmark.passages):
        title = int(extraction.titled[passage])
        begin = whole.find("\n") + 1
        over = _SENTENCE.search(whole, begin)
        end = over.start() if over else len(whole)
        cues = list(_CUE.finditer(whole, begin, end))
        if cues and title >= 0:
            part = slice(mentions.indptr[passage], mentions.indptr[passage + 1])
            at = dict(
                zip(mentions.start[part].tolist(), mentions.entity[part].tolist(), strict=True)
            )
            places = [at.get(len(whole[: cue.end()].encode())) for cue in cues]
            found += [(place, title) for place in places if place is not None]
    return found


def _said(extraction: Extraction) -> list[tuple[int, int]]:
    """Return the pairs (Y, X) of triples."""
    triples = extraction.triples
    says = [
        _SAYS.fullmatch(f"{predicate.strip()} ") is not None for predicate in triples.predicates
    ]
    columns = (triples.predicate.tolist(), triples.object.tolist(), triples.subject.tolist())
    return [
        (known, whose) for predicate, known, whose in zip(*columns, strict=True) if says[predicate]
    ]
