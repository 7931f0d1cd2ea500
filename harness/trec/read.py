"""Reading a TREC run file: by Arrow's parser when the file is plain, line by line when there is anything to explain."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pv
from numpy.typing import NDArray

from harness.errors import HarnessError
from harness.lists.entries import Entries
from harness.trec.lines import line_of, opened, packed, parsed

WORD = pa.dictionary(pa.int32(), pa.string())
COLUMNS = {"qid": WORD, "Q0": WORD, "docid": pa.string(), "rank": pa.int64(), "score": pa.float64(), "tag": WORD}


def entries(path: Path) -> Entries:
    """The entries of a TREC run file, checked but for what needs numbered documents (see harness.trec)."""
    table = _quick(path) or parsed(path)
    if table.num_rows == 0:
        raise HarnessError(f"{path}: the file is empty; a TREC run has a line `qid Q0 docid rank score tag` an entry")
    queries, rows = _queries(table["qid"])
    scores = table["score"].to_numpy()
    if np.isfinite(scores).all():
        _check_ranks(path, queries, rows, table["docid"], scores, table["rank"].to_numpy())
    return Entries(queries, rows, table["docid"], scores, lambda entry: f"{path}:{line_of(path, entry)}")


def _quick(path: Path) -> pa.Table | None:
    """The six columns, when every line has six fields with one space (or, in all lines, one tab) between them."""
    with opened(path) as lines:
        head = lines.read(4096)
    delimiter = "\t" if b"\t" in head else " "
    try:
        with pa.input_stream(path, compression="gzip" if packed(path) else None) as stream:
            table = pv.read_csv(
                stream,
                pv.ReadOptions(column_names=list(COLUMNS), block_size=1 << 22),
                pv.ParseOptions(delimiter=delimiter, quote_char=False, double_quote=False, newlines_in_values=False),
                pv.ConvertOptions(column_types=COLUMNS, null_values=[], strings_can_be_null=False),
            )
    except (pa.ArrowException, OSError):
        return None
    words = (chunk.dictionary for name in ("qid", "Q0", "tag") for chunk in table[name].chunks)
    return table if all(map(_plain, (*words, *table["docid"].chunks))) else None


def _plain(words: pa.StringArray) -> bool:
    """Whether no word is empty or holds white space or a control character."""
    data = words.buffers()[2]
    empty = len(words) and pc.min(pc.binary_length(words)).as_py() == 0
    return not empty and (data is None or bool((np.frombuffer(data, dtype=np.uint8) > 0x20).all()))


def _queries(column: pa.ChunkedArray) -> tuple[pa.StringArray, NDArray[np.int32]]:
    """The distinct ids in order of first appearance, and each entry's place among them."""
    encoded = column.unify_dictionaries().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = pa.concat_arrays(encoded.chunks)
    return encoded.dictionary, encoded.indices.to_numpy()


def _check_ranks(
    path: Path,
    queries: pa.StringArray,
    rows: NDArray[np.int32],
    docs: pa.ChunkedArray,
    scores: NDArray[np.float64],
    ranks: NDArray[np.int64],
) -> None:
    """Raise where a document has a better rank than one with a greater score."""
    same = rows[1:] == rows[:-1]
    ordered = ~same | ((scores[1:] <= scores[:-1]) & (ranks[1:] >= ranks[:-1]))
    if ordered.all() and (np.diff(rows) >= 0).all():
        return
    order = np.lexsort((ranks, -scores, rows))
    wrong = (rows[order][1:] == rows[order][:-1]) & (ranks[order][1:] < ranks[order][:-1])
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        better, worse = int(order[at]), int(order[at + 1])
        raise HarnessError(
            f"{path}:{line_of(path, worse)}: query {queries[int(rows[worse])]}, document {docs[worse]}: "
            f"rank {ranks[worse]} contradicts the score {float(scores[worse])!r}: document {docs[better]} has the "
            f"greater score {float(scores[better])!r} and rank {ranks[better]}; number the ranks by descending score"
        )
