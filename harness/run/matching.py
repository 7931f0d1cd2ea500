"""Ids of two sources that should match: how they differ, and three of each for a message."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from harness.core.arrays import arrow
from harness.core.errors import HarnessError
from harness.run.run import Run

Rule = Callable[[pa.StringArray], pa.StringArray]
ONE: Mapping[str, Rule] = {
    "white space, _ or %20": lambda ids: pc.replace_substring_regex(
        ids, r"(?:[\s_\pZ\p{Cf}]|%20)+", ""
    ),
    "HTML escapes": lambda ids: pc.replace_substring(ids, "&amp;", "&"),
    "double quotes": lambda ids: pc.replace_substring(ids, '"', ""),
    "Unicode form (write both as NFC)": lambda ids: pc.utf8_normalize(ids, "NFC"),
    "case": pc.utf8_lower,
    "how numbers are written": lambda ids: pc.replace_substring_regex(
        ids, r"^0+([0-9])|\.0$", r"\1"
    ),
}
RULES: Mapping[str, Rule] = {
    **ONE,
    "more than one of white space, quotes, Unicode form, case and zeros": lambda ids: (
        functools.reduce(lambda normalized, rule: rule(normalized), ONE.values(), ids)
    ),
}
"""Differences between two spellings of an id, and the functions that remove them."""


def resembling(missing: pa.StringArray, others: pa.StringArray) -> list[str]:
    """Return, for each rule of ``RULES``, how many missing ids equal one of the others by it, with
    an example.
    """
    sentences = []
    for what, rule in RULES.items() if len(others) else ():
        if not len(missing):
            break
        places = pc.index_in(rule(missing), value_set=rule(others))
        if count := len(places) - places.null_count:
            place = int(pc.index(pc.is_valid(places), True).as_py())
            ours, theirs = missing[place].as_py(), others[places[place].as_py()].as_py()
            sentences.append(
                f"{count} {'differs' if count == 1 else 'differ'} in {what} alone: {ours!r}, "
                f"{theirs!r}"
            )
            missing = missing.filter(pc.is_null(places))
    return sentences


def examples(ids: pa.StringArray) -> str:
    """Return three ids, for a message."""
    return ", ".join(repr(name) for name in ids[:3].to_pylist())


def share_nothing(
    what: str, ours: tuple[str, pa.StringArray], theirs: tuple[str, pa.StringArray]
) -> HarnessError:
    """Return the error about two sources, each a name and ids, that have no ``what`` in common."""
    (name, ids), (other, others) = ours, theirs
    if empty := [whose for whose, held in (ours, theirs) if not len(held)]:
        return HarnessError(
            f"{' and '.join(empty)}: no list has a document; give a file with entries"
        )
    differ = (name for name, rule in RULES.items() if known(rule(ids), rule(others)))
    why = next((f"; they differ in {rule}" for rule in differ), "")
    return HarnessError(
        f"{name} and {other} have no {what} in common: the former has {examples(ids)}, the "
        f"latter {examples(others)}{why}; give files with the same {what} ids"
    )


def without(ids: pa.StringArray, others: pa.StringArray) -> pa.StringArray:
    """Return the ids that are not among others."""
    return ids.filter(pc.invert(pc.is_in(ids, value_set=others)))


def known(ids: pa.StringArray, among: pa.StringArray) -> int:
    """Return how many of the ids are among others."""
    return int(pc.sum(pc.is_in(ids, value_set=among)).as_py() or 0)


def documents(run: Run) -> pa.StringArray:
    """Return the ids of the documents in the lists of a run."""
    return run.doc_ids.take(arrow(np.flatnonzero(np.bincount(run.docs))))


def queries(run: Run) -> pa.StringArray:
    """Return the ids of the queries whose list is not empty."""
    return run.query_ids.filter(arrow(run.lengths() > 0))


def fit(
    run: Run, source: str, query_ids: pa.StringArray, doc_ids: pa.StringArray, name: str
) -> Run:
    """Return the run over a benchmark's queries and documents, which ``name`` names.

    Raises:
        HarnessError: the run has none of the queries, or a document that is not in the corpus.
    """
    if not known(queries(run), query_ids):
        raise share_nothing("query", (source, queries(run)), (name, query_ids))
    held = documents(run)
    if not known(held, doc_ids):
        raise share_nothing("document", (source, held), (name, doc_ids))
    if len(missing := without(held, doc_ids)):
        raise HarnessError(
            f"{source}: {len(missing)} of its {len(held)} documents are not in the corpus of "
            f"{name}: "
            f"{examples(missing)}; leave them out, or add them to the corpus"
        )
    return run.aligned(query_ids, doc_ids)
