"""Writing a TREC run file."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from harness.errors import HarnessError
from harness.files import whole
from harness.run import Run

BLOCK = 1 << 20
"""Lines that are put together at once."""


def write_trec(run: Run, path: Path, tag: str = "harness") -> None:
    """Write ``qid Q0 docid rank score tag``, best document first, packed when the name ends in ``.gz``.

    Scores are written with the fewest digits that give back the same 64 bits. The file appears whole or not at all.
    Raises HarnessError for an id or a tag that the form cannot carry: empty, or with white space.
    """
    _check("query", run.query_ids)
    _check("document", run.doc_ids.take(pa.array(np.unique(run.docs))))
    _check("tag", pa.array([tag]))
    ranks = np.arange(1, len(run.docs) + 1) - np.repeat(run.indptr[:-1], run.lengths())
    rows = np.repeat(np.arange(len(run)), run.lengths())
    with whole(path) as partial, partial.open("wb") as raw:
        packed = path.suffix == ".gz"
        with gzip.GzipFile("", "wb", 3, raw, mtime=0) if packed else raw as stream:
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
                stream.write(_text(lines))


def _text(lines: pa.StringArray) -> memoryview:
    """The bytes of all lines, which stand one after the other in Arrow's buffer."""
    _, offsets, data = lines.buffers()
    bounds = np.frombuffer(offsets, dtype=np.int32)
    return memoryview(data)[bounds[0] : bounds[len(lines)]]


def _check(kind: str, ids: pa.StringArray) -> None:
    broken = ids.filter(pc.or_(pc.match_substring_regex(ids, r"[\x00-\x20]"), pc.equal(ids, "")))
    if len(broken):
        raise HarnessError(
            f"{kind} id {broken[0].as_py()!r} is empty or holds white space, which a TREC file cannot carry; "
            "write out=NAME.parquet or NAME.json instead"
        )
