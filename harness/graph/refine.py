"""Refinement of an extraction before it becomes a graph: merged names and dropped weak triples,
with counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from harness.core.arrays import Int32Array, distinct
from harness.graph.alias import EVERYWHERE
from harness.graph.extractor import Extraction

Numbers = Int32Array


def merge_names(
    extraction: Extraction, found: Iterable[Int32Array]
) -> tuple[Extraction, dict[str, int]]:
    """Return the extraction with each alias replaced by the name that it refers to, and counts.

    Rules must agree about a name at a place. Otherwise the name is left alone and counted as
    ``ambiguous_aliases``. A replacement in a passage goes before one everywhere, which then
    follows. Questions and titles have only the latter. Names that no longer occur are left out.

    Args:
        extraction: the extraction.
        found: for each rule, int32[n, 3]: passage or ``EVERYWHERE``, name, the name that it refers
            to.
    """
    rows = np.unique(np.concatenate([np.empty((0, 3), np.int32), *found]), axis=0)
    rows = rows[rows[:, 1] != rows[:, 2]]
    _, first, count = np.unique(rows[:, :2], axis=0, return_index=True, return_counts=True)
    clear = rows[first[count == 1]]
    size = len(extraction.names)
    whole = clear[:, 0] == EVERYWHERE
    everywhere, cycles = _followed(clear[whole], size)
    local = clear[~whole]
    keys = np.append(local[:, 0].astype(np.int64) * size + local[:, 1], np.iinfo(np.int64).max)
    targets = np.append(local[:, 2], 0)

    def inside(passage: Numbers, name: Numbers) -> Numbers:
        """Return the names that names refer to in their passages."""
        asked = passage.astype(np.int64) * size + name
        at = np.searchsorted(keys, asked)
        return everywhere[np.where(keys[at] == asked, targets[at], name)].astype(np.int32)

    passages, triples, questions = extraction.passages, extraction.triples, extraction.questions
    mentioned = inside(passages.text, passages.entity)
    ends = [inside(triples.passage, end) for end in (triples.subject, triples.object)]
    titled = np.where(extraction.titled >= 0, everywhere[extraction.titled], -1).astype(np.int32)
    asked = everywhere[questions.entity]
    used = distinct(np.concatenate([titled[titled >= 0], mentioned, *ends, asked]))
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
        "mentions_renamed": int((passages.entity != mentioned).sum()),
        "names_merged_away": size - len(used),
    }


def _followed(rows: Int32Array, size: int) -> tuple[Numbers, int]:
    """Return int32[E], the final name of each name, and the number of names in circles, which stay
    as they are.
    """
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


def drop_weak_triples(
    extraction: Extraction, confidence: float, support: int
) -> tuple[Extraction, dict[str, int]]:
    """Return the extraction without weak triples, and counts.

    Dropped are triples of less confidence, and those of a pair of entities that triples of fewer
    than ``support`` passages join. A triple without a confidence has 1. Self-loops stay, since they
    make no edge.
    """
    triples = extraction.triples
    sure = triples.sure() >= np.float32(confidence)
    low, high, passage = triples.joins().T
    pair = low * max(len(extraction.names), 1) + high
    joined = np.unique(np.stack([pair[sure], passage[sure]], axis=1), axis=0)
    pairs, passages = np.unique(joined[:, 0], return_counts=True)
    enough = np.isin(pair, pairs[passages >= support]) | (low == high)
    keep = np.flatnonzero(sure & enough)
    counts = {"low_confidence": int((~sure).sum()), "low_support": int((sure & ~enough).sum())}
    kept = replace(
        triples,
        **{
            name: getattr(triples, name)[keep]
            for name in ("passage", "subject", "predicate", "object")
        },
        confidence=None if triples.confidence is None else triples.confidence[keep],
    )
    return replace(extraction, triples=kept), counts
