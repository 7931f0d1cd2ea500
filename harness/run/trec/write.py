"""Writing a TREC run file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from harness.core.errors import HarnessError
from harness.core.files import text, whole

BLOCK = 1 << 20
"""Entries that are put together at once."""


def write(run: Any, path: Path, tag: str = "harness") -> None:
    """Write ``qid Q0 docid rank score tag``, best document first, packed when the name ends in ``.gz``.

    run: a ``harness.run.Run``, which imports this module.
    Scores are written with the fewest digits that give back the same 64 bits. The file appears whole or not at all.
    Raises HarnessError for an id or a tag that the form cannot carry: empty, or with white space.
    """
    _check("tag", pa.array([tag]))
    _check("query", run.query_ids)
    _check("document", run.doc_ids.take(pa.array(np.flatnonzero(np.bincount(run.docs)))))
    rows = np.repeat(np.arange(len(run.query_ids)), np.diff(run.indptr))
    ranks = np.arange(1, len(rows) + 1) - run.indptr[:-1][rows]
    with whole(path) as partial, text(partial, path.suffix == ".gz") as stream:
        for start in range(0, len(rows), BLOCK):
            part = slice(start, start + BLOCK)
            lines = pc.binary_join_element_wise(
                run.query_ids.take(pa.array(rows[part])),
                "Q0",
                run.doc_ids.take(pa.array(run.docs[part])),
                pa.array(ranks[part]).cast(pa.string()),
                pa.array(run.scores[part]).cast(pa.string()),
                f"{tag}\n",
                " ",
            )
            _, offsets, letters = lines.buffers()
            stream.write(memoryview(letters)[: np.frombuffer(offsets, np.int32)[len(lines)]])


def _check(kind: str, ids: pa.StringArray) -> None:
    broken = ids.filter(pc.or_(pc.match_substring_regex(ids, r"[\x00-\x20]"), pc.equal(ids, "")))
    if len(broken):
        raise HarnessError(
            f"{kind} id {broken[0].as_py()!r} is empty or holds white space, which a TREC file cannot carry; "
            "write out=NAME.parquet or NAME.json instead"
        )
