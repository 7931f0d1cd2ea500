"""Writing a TREC run file."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from harness.errors import HarnessError
from harness.files import text, whole
from harness.lists.number import letters_of
from harness.run import Run
from harness.trec.kernel import compose

BLOCK = 1 << 20
"""Lines that are put together at once, about."""

DIGITS = 10
"""Of a rank: a list has fewer than 2^32 documents."""


def write_trec(run: Run, path: Path, tag: str = "harness") -> None:
    """Write ``qid Q0 docid rank score tag``, best document first, packed when the name ends in ``.gz``.

    Scores are written with the fewest digits that give back the same 64 bits. The file appears whole or not at all.
    Raises HarnessError for an id or a tag that the form cannot carry: empty, or with white space.
    """
    with writing(path, tag) as put:
        put(run)


@contextlib.contextmanager
def writing(path: Path, tag: str = "harness") -> Iterator[Callable[[Run], None]]:
    """A function that appends a run of some queries to a TREC run file, which appears when the block ends."""
    _check("tag", pa.array([tag]))
    with whole(path) as partial, text(partial, path.suffix == ".gz") as stream:

        def put(run: Run) -> None:
            _check("query", run.query_ids)
            if _suspect(run.doc_ids):
                _check("document", run.doc_ids.take(pa.array(np.unique(run.docs))))
            cuts = np.searchsorted(run.indptr, np.arange(0, max(len(run.docs), 1), BLOCK)).tolist()
            for start, stop in zip(cuts, [*cuts[1:], len(run)], strict=True):
                stream.write(_lines(run.take(np.arange(start, stop)), tag))

        yield put


def _lines(run: Run, tag: str) -> memoryview:
    """The text of a run."""
    end = np.frombuffer(f"{tag}\n".encode(), dtype=np.uint8)
    queries, docs, scores = map(letters_of, (run.query_ids, run.doc_ids, pa.array(run.scores).cast(pa.string())))
    letters = np.diff(queries[0]) @ run.lengths() + np.diff(docs[0])[run.docs].sum() + np.diff(scores[0]).sum()
    line = np.empty(int(letters) + len(run.docs) * (len(" Q0   ") + DIGITS + len(end)), dtype=np.uint8)
    return line[: compose(line, run.indptr, run.docs, queries, docs, scores, end)].data


def _suspect(ids: pa.StringArray) -> bool:
    """Whether some id is empty or holds white space or a control character."""
    offsets, letters = letters_of(ids)
    return bool((np.diff(offsets) == 0).any() or (letters[offsets[0] : offsets[-1]] <= 0x20).any())


def _check(kind: str, ids: pa.StringArray) -> None:
    broken = ids.filter(pc.or_(pc.match_substring_regex(ids, r"[\x00-\x20]"), pc.equal(ids, "")))
    if len(broken):
        raise HarnessError(
            f"{kind} id {broken[0].as_py()!r} is empty or holds white space, which a TREC file cannot carry; "
            "write out=NAME.parquet or NAME.json instead"
        )
