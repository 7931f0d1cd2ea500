"""Fuse ranked lists of any systems into one.

Needs no corpus: each list is a TREC run file (`qid Q0 docid rank score tag`, plain or .gz), a .json
file `{"query": {"doc": score}}`, a .parquet file with the columns query_id, doc_id, score, or the
folder of a stored run (`harness prepare` prints it). `out` is written in the form of its ending
(.json, .parquet, .csv, .tsv, .jsonl, else TREC; .gz packs it), whole or not at all. Queries come in
the order of the first list. All lists are in memory at once: 20 bytes an entry, and each id once.
Lists that share no query or no document are refused; disjoint=true allows lists of different
collections. lenient=true passes over comment lines (#) and trailing fields of TREC files.

  harness fuse 'lists={dense: d.trec, graph: g.trec}' out=fused.trec
  harness fuse 'lists={dense: d.trec, graph: g.trec}' normalizer=pit fuser=boltzmann fuser.alpha=0.7 fuser.beta=0.5 pool.cap=20 out=f.trec
  harness fuse 'lists={a: a.trec, b: b.trec, c: c.trec.gz}' fuser=rrf fuser.k=60 out=rrf.trec.gz
  harness fuse 'lists={a: a.trec, b: b.trec}' fuser=linear 'pool.capped=[b]' pool.cap=50 split=tune out=tune.trec
  harness fuse 'lists={dense: d.trec, graph: g.trec}' lock=runs/sweeps/NAME out=f.trec

fuser.alpha is the share of the list `reference`; by default it is `dense`,
without one the first. pool.cap cuts every list but that one (or pool.capped) to
their best documents before they are normalised. split=tune or test keeps the
queries of one half (by the MD5 of their ids; splitting=disjoint
gold=queries.jsonl keeps queries that share gold passages on one side,
splitting=given gold=queries.jsonl goes by its field `split`,
splitting=splits.tsv by a file with lines `id split`), depth=1000 the best 1000
documents of each fused list. Choose parameters on tune, and look at test once.
It warns if two lists share less than half of their ids. Every fuser,
normalizer, temperature and reranker of conf/ that reads neither texts nor a
graph can be used; those that learn (fuser=learned) from the
lock of a sweep, which decides everything else, too. pool.importance names a JSON file
of the documents' prior importance, {"document": 0..1, ...}, which
fuser=weighted_rrf multiplies by.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from omegaconf import DictConfig

from harness.command import (
    command_line,
    complete,
    keep_inputs,
    python_value,
    refuse_unread,
    typed,
)
from harness.core.errors import HarnessError, keys_of, one_of, whole_number
from harness.core.files import is_stream
from harness.core.table import counted

if TYPE_CHECKING:
    import pyarrow as pa

    from harness.benchmark import Splitting
    from harness.run import Run
    from harness.run.io import File
    from harness.sweep.trial.trial import Trial


def run(config: DictConfig) -> None:
    """Read the lists, fuse them, write the result, and print what was fused."""
    from harness.benchmark import read_splitting
    from harness.core.device import resolve_device
    from harness.evaluation.gold import part_name
    from harness.fusion.fuse import fuse
    from harness.fusion.fuser import Fuser
    from harness.fusion.importance import read_importance
    from harness.fusion.reranker import FuseThenRerank
    from harness.run import io as lists

    complete(config)
    _check(config)
    resolve_device(config.device)
    files = _files(config)
    out = "/dev/stdout" if config.out == "-" else str(config.out)
    stream = sys.stderr if is_stream(Path(out)) else sys.stdout
    paths = {name: file.path for name, file in files.items()}
    chosen = _choose(config, paths)
    keep_inputs(config, *paths.values())
    importance = read_importance(chosen.pool.importance) if chosen.pool.importance else None
    splitting = read_splitting("splitting", config.splitting)
    runs, queries = _read(config, files, splitting)
    fused = fuse(
        runs,
        cast(Fuser, FuseThenRerank(chosen.fuser, chosen.reranker)),
        chosen.normalizer,
        chosen.pool.effective_cap,
        temperature=chosen.temperature,
        capped=list(chosen.pool.capped or ()),
        importance=importance,
        reference=chosen.pool.reference,
        device=config.device,
        disjoint=None,
    ).top(config.depth)
    steps = (chosen.normalizer, chosen.temperature, chosen.fuser, chosen.reranker)
    explained = f"fused by: {', '.join(map(str, steps))}; {chosen.pool.description}"
    strategy = chosen.name if config.lock else explained
    lists.write(fused, out, {"command": command_line("fuse"), "strategy": strategy, "lists": paths})
    if config.lock:
        print(f"as locked: {chosen.name}", file=stream)
    for name, run in runs.items():
        print(
            f"{name}: {counted(len(run.docs), 'document')} for {run.answered} of "
            f"{counted(queries, 'question')}",
            file=stream,
        )
    part = part_name(config.split, splitting)
    print(
        f"{out}: {counted(len(fused.docs), 'document')} for "
        f"{counted(fused.answered, 'question')} (split {part})",
        file=stream,
    )


def _check(config: DictConfig) -> None:
    from harness.benchmark import SPLITS

    one_of("split", config.split, SPLITS)
    if config.depth is not None:
        whole_number("depth", config.depth, 1)
    if config.split == "all":
        refuse_unread("splitting", "gold")
    elif config.splitting == "md5":
        refuse_unread("gold")


def _files(config: DictConfig) -> dict[str, File]:
    """Return the file of each list by its name."""
    from harness.run.systems import file_of

    lists = python_value(config.lists)
    if not isinstance(lists, dict) or not lists:
        raise HarnessError(
            f"lists must name at least one file, e.g. 'lists={{dense: d.trec, graph: g.trec}}', "
            f"got {lists}"
        )
    return {str(name): file_of(f"lists.{name}", node) for name, node in lists.items()}


def _choose(config: DictConfig, paths: Mapping[str, str]) -> Trial:
    """Return the trial that fuses these lists. Raise HarnessError if a lock or weights are for
    other lists.
    """
    from harness.sweep.winner.chosen_trial import choose_trial

    chosen = choose_trial(config, list(paths), typed())
    if set(paths) != set(chosen.pool.lists):
        raise HarnessError(
            f"lock={config.lock} fuses the lists {', '.join(chosen.pool.lists)}, lists names "
            f"{', '.join(paths)}; "
            "give exactly those"
        )
    if any(text.startswith("fuser.weights=") for text in typed()):
        keys_of("fuser.weights", getattr(chosen.fuser, "weights", None), paths)
    return chosen


def _read(
    config: DictConfig, files: Mapping[str, File], splitting: Splitting
) -> tuple[dict[str, Run], int]:
    """Return the lists with only the queries of the split, and the number of these queries."""
    from harness.fusion.fuse import shared
    from harness.run import io as lists
    from harness.run.entries import log_notes

    runs = lists.read_all(files, config.lenient, python_value(config.columns))
    log_notes(shared(runs, config.disjoint))
    queries = _of_split(next(iter(runs.values())).query_ids, config, splitting)
    runs = {name: run.aligned(queries, run.doc_ids) for name, run in runs.items()}
    if not any(len(run.docs) for run in runs.values()):
        raise HarnessError(f"no question of these lists is in split={config.split}; use split=all")
    return runs, len(queries)


def _of_split(
    query_ids: pa.StringArray, config: DictConfig, splitting: Splitting
) -> pa.StringArray:
    """Return the queries of the configuration's split. Raise HarnessError if the splitting needs
    gold and there is none.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from harness.benchmark import split_queries
    from harness.evaluation.gold import Gold
    from harness.run.matching import without

    if config.split == "all":
        return query_ids
    if config.gold is None or splitting == "md5":
        parts = split_queries(splitting, query_ids.to_pylist(), "the lists", "splitting")
        return query_ids.filter(pa.array(parts == config.split))
    gold = Gold.read(str(config.gold), config.lenient)
    if len(unknown := without(query_ids, pa.array(gold.query_ids, pa.string()))):
        raise HarnessError(
            f"{config.gold} lacks {len(unknown)} of the lists' {len(query_ids)} questions "
            f"({unknown[0]}), so their split is "
            "unknown; give the gold of all, or splitting=md5"
        )
    part_ids = pa.array(gold.split(config.split, splitting).query_ids, pa.string())
    return query_ids.filter(pc.is_in(query_ids, part_ids))
