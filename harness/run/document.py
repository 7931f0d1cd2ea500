"""JSON: ``{query id: {document id: score}}``, the form of ranx, pytrec_eval and most evaluation scripts.

A list of a query, best first, may also be one of ids, of pairs ``[id, score]``, or of nodes as LangChain and LlamaIndex
dump them (``NODES``); without a score it is 1 / rank. The predictions of MTEB have a subset and a split around the
queries. Of HippoRAG 2 and LightRAG the answers are read (see harness.run.solution).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from harness.core.errors import HarnessError
from harness.core.files import written
from harness.core.input import read_json
from harness.run.entries import Entries
from harness.run.run import Run
from harness.run.solution import by_question, ranked, supporting

FORM = '{"query id": {"document id": score}}'
NODES = (("node", "id_"), ("kwargs", "id"), ("id",), ("id_",))
"""Where a node has its id: LlamaIndex' NodeWithScore, LangChain's Document by ``dumpd`` and by ``model_dump``."""
META = "mteb_model_meta"


def read_lists(
    path: Path,
    form: str = FORM,
    alone: Callable[[int], float] = lambda place: 1 / (place + 1),
    judged: bool = False,
) -> dict[str, dict[str, float]]:
    """The mapping in a JSON file, plain or packed. Raises HarnessError for anything but numbers in the form above.

    alone: the number of an entry that has none, by its place from 0.    judged: of an answer read what is relevant.
    """
    lists = by_question(path, read_json(path, form))
    if not isinstance(lists, dict) or not lists:
        raise HarnessError(f"{path}: expected {form}, found {_kind(lists)}")
    lists = _unwrapped(path, lists)
    for query, answer in lists.items():
        place = f"{path}: query {query}"
        listed = supporting(place, answer) if judged else ranked(place, answer)
        lists[query] = listed = _from_list(place, listed, alone) if isinstance(listed, list) else listed
        if not isinstance(listed, dict):
            raise HarnessError(f"{path}: query {query}: expected an object {form}, found {_kind(listed)}")
        for doc, score in listed.items():
            if isinstance(score, bool) or not isinstance(score, (int, float)):
                raise HarnessError(f"{path}: query {query}, document {doc}: expected a number, found {score!r:.60}")
    return lists


def _unwrapped(path: Path, lists: dict[str, Any]) -> dict[str, Any]:
    """The queries of MTEB's predictions, ``{subset: {split: {query: ...}}}``; other mappings as they are."""
    found = {name: inner for name, inner in lists.items() if name != META}
    if not found or not all(_is_nested(inner, 3) for inner in found.values()):
        return lists
    parts = {f"{subset}/{split}": own for subset, splits in found.items() for split, own in splits.items()}
    if len(parts) > 1:
        raise HarnessError(f"{path}: predictions of {', '.join(parts)}; write a file for each")
    return dict(next(iter(parts.values())))


def _is_nested(value: Any, levels: int) -> bool:
    """Whether so many mappings stand in one another, as far as their first values say."""
    if levels == 1 or not isinstance(value, dict):
        return isinstance(value, dict)
    return bool(value) and _is_nested(next(iter(value.values())), levels - 1)


def _from_list(place: str, listed: list[Any], alone: Callable[[int], float]) -> dict[str, Any]:
    """``{id: score}`` of ids, pairs and nodes, best first."""
    found: dict[str, Any] = {}
    for number, one in enumerate(listed):
        pair = isinstance(one, list) and len(one) == 2
        entry, score = one if pair else (one, one.get("score") if isinstance(one, dict) else None)
        name = _node_id(entry) if isinstance(entry, dict) else entry
        if not isinstance(name, str):
            raise HarnessError(
                f"{place}: entry {number + 1}: expected a document id, [id, score] or a node with an id, "
                f"found {str(one)[:60]}"
            )
        if name in found:
            raise HarnessError(f"{place}: document {name} stands twice in its list; keep one")
        found[name] = alone(number) if score is None and not pair else score
    return found


def _node_id(node: Any) -> Any:
    for keys in NODES:
        inner = node
        for key in keys:
            inner = inner.get(key) if isinstance(inner, dict) else None
        if isinstance(inner, str):
            return inner
    return None


def entries(path: Path, lenient: bool = False) -> Entries:
    """The entries of a JSON file, which is read whole. A query with an empty list is named all the same."""
    lists = read_lists(path)
    lengths = [len(listed) for listed in lists.values()]
    rows = np.repeat(np.arange(len(lists), dtype=np.int32), lengths)
    docs = pa.array([doc for listed in lists.values() for doc in listed], pa.string())
    try:
        scores = np.array([score for listed in lists.values() for score in listed.values()], dtype=np.float64)
    except OverflowError as error:
        raise HarnessError(f"{path}: a score does not fit a 64-bit float ({error}); scale them down") from error
    return Entries(
        pa.DictionaryArray.from_arrays(pa.array(rows), pa.array(list(lists), pa.string())),
        docs.dictionary_encode(),
        scores,
        place=lambda entry: f"{path}: entry {entry + 1}",
    )


def write(run: Run, path: Path) -> None:
    """Write a JSON file, best document first, packed as its ending says."""
    with written(path) as stream:
        stream.write(json.dumps(run.to_dict(), ensure_ascii=False, indent=1).encode() + b"\n")


def _kind(value: Any) -> str:
    return {dict: "an empty object", list: "a list", str: "a text", type(None): "null"}.get(type(value), "a number")
