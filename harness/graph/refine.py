"""An extraction made tidier before it becomes a graph: names merged, weak triples left out, with counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.graph.alias import EVERYWHERE
from harness.graph.extractor import Extraction, Mentions, Triples

Numbers = NDArray[np.int32]


def merge_names(extraction: Extraction, found: Iterable[NDArray[np.int32]]) -> tuple[Extraction, dict[str, int]]:
    """The extraction with each alias replaced by what it stands for, and counts.

    found: of each rule, int32[n, 3]: passage or ``EVERYWHERE``, name, what it stands for. What rules say of one name in
    one place must agree; otherwise it is left alone and counted as ``ambiguous_aliases``. What holds in a passage goes
    before what holds everywhere, and is followed by it. Questions and titles know only what holds everywhere. Names
    that nothing says any more are left out.
    """
    rows = np.unique(np.concatenate([np.empty((0, 3), np.int32), *found]), axis=0)
    rows = rows[rows[:, 1] != rows[:, 2]]
    _, first, count = np.unique(rows[:, :2], axis=0, return_index=True, return_counts=True)
    clear = rows[first[count == 1]]
    size = len(extraction.names)
    whole = clear[:, 0] == EVERYWHERE
    everywhere, cycles = _followed(clear[whole], size)
    inside = _Inside(clear[~whole], everywhere, size)
    passages, triples, questions = extraction.passages, extraction.triples, extraction.questions
    mentioned = inside.of(passages.text, passages.entity)
    ends = [inside.of(triples.passage, end) for end in (triples.subject, triples.object)]
    titled = np.where(extraction.titled >= 0, everywhere[extraction.titled], -1).astype(np.int32)
    asked = everywhere[questions.entity]
    used = np.unique(np.concatenate([titled[titled >= 0], mentioned, *ends, asked]))
    place = np.full(size, -1, dtype=np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    kept = Extraction(
        [extraction.names[number] for number in used.tolist()],
        np.where(titled >= 0, place[titled], -1).astype(np.int32),
        replace(passages, entity=place[mentioned]),
        replace(questions, entity=place[asked]),
        replace(triples, subject=place[ends[0]], object=place[ends[1]]),
    )
    return kept, {
        "aliases_everywhere": int(whole.sum()) - cycles,
        "aliases_in_a_passage": int((~whole).sum()),
        "ambiguous_aliases": int((count > 1).sum()) + cycles,
        "mentions_renamed": _changed(passages, mentioned),
        "names_merged_away": size - len(used),
    }


class _Inside:
    """What a name stands for in a passage."""

    def __init__(self, rows: NDArray[np.int32], everywhere: Numbers, size: int) -> None:
        self.size, self.everywhere = size, everywhere
        self.keys = rows[:, 0].astype(np.int64) * size + rows[:, 1]
        self.targets = rows[:, 2]

    def of(self, passage: Numbers, name: Numbers) -> Numbers:
        keys = passage.astype(np.int64) * self.size + name
        at = np.minimum(np.searchsorted(self.keys, keys), max(len(self.keys) - 1, 0))
        known = self.keys[at] == keys if len(self.keys) else np.zeros(len(keys), dtype=np.bool_)
        local = np.where(known, self.targets[at], name) if len(self.keys) else name
        return self.everywhere[local].astype(np.int32)


def _followed(rows: NDArray[np.int32], size: int) -> tuple[Numbers, int]:
    """int32[E]: what each name stands for in the end, and how many names are in circles, which stand for themselves."""
    step = np.arange(size, dtype=np.int32)
    step[rows[:, 1]] = rows[:, 2]
    end = step
    for _ in range(max(size, 1).bit_length()):
        end = end[end]
    circling = end != step[end]
    step[circling] = np.flatnonzero(circling)
    end = step
    for _ in range(max(size, 1).bit_length()):
        end = end[end]
    return end, int(circling.sum())


def _changed(mentions: Mentions, entity: Numbers) -> int:
    return int((mentions.entity != entity).sum())


def drop_weak_triples(extraction: Extraction, confidence: float, support: int) -> tuple[Extraction, dict[str, int]]:
    """The extraction without the triples of less confidence, and without those of a pair of entities that triples of
    fewer than ``support`` passages join; and counts. A triple of no stated confidence has 1. Self-loops stay: they
    make no edge.
    """
    triples = extraction.triples
    sure = triples.sure() >= np.float32(confidence)
    low = np.minimum(triples.subject, triples.object).astype(np.int64)
    high = np.maximum(triples.subject, triples.object).astype(np.int64)
    pair = low * max(len(extraction.names), 1) + high
    joined = np.unique(np.stack([pair[sure], triples.passage[sure].astype(np.int64)], axis=1), axis=0)
    pairs, passages = np.unique(joined[:, 0], return_counts=True)
    enough = np.isin(pair, pairs[passages >= support]) | (low == high)
    keep = np.flatnonzero(sure & enough)
    counts = {"low_confidence": int((~sure).sum()), "low_support": int((sure & ~enough).sum())}
    return replace(extraction, triples=_taken(triples, keep)), counts


def _taken(triples: Triples, keep: NDArray[Any]) -> Triples:
    return Triples(
        passage=triples.passage[keep],
        subject=triples.subject[keep],
        predicate=triples.predicate[keep],
        object=triples.object[keep],
        predicates=triples.predicates,
        confidence=None if triples.confidence is None else triples.confidence[keep],
    )
