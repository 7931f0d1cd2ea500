"""Fuse ranked lists of any systems into one.

Needs no corpus: each list is a TREC run file (`qid Q0 docid rank score tag`, plain or .gz), a .json file
`{"query": {"doc": score}}`, a .parquet file with the columns query_id, doc_id, score, or the folder of a run of ours
(`harness prepare` names them). `out` is written in the form of its ending (.trec, .trec.gz, .json, .parquet), whole or
not at all. Queries are worked on block by block, in the order of the first list: memory does not grow with their
number (lists that are larger than memory wait in a temporary file, where TMPDIR says; .json is read whole).

  harness fuse 'lists={dense: d.trec, graph: g.trec}' out=fused.trec
  harness fuse 'lists={dense: d.trec, graph: g.trec}' normalizer=pit fuser=boltzmann fuser.alpha=0.7 fuser.beta=0.5 pool.cap=20 out=f.trec
  harness fuse 'lists={a: a.trec, b: b.trec, c: c.trec.gz}' fuser=rrf fuser.k=60 out=rrf.trec.gz
  harness fuse 'lists={a: a.trec, b: b.trec}' fuser=linear 'pool.capped=[b]' pool.cap=50 split=tune out=tune.trec
  harness fuse 'lists={dense: d.trec, graph: g.trec}' lock=runs/sweeps/NAME/winner.lock.json out=f.trec

The list that is called `dense` has the share fuser.alpha; without one, it is the first. pool.cap cuts the lists named
in pool.capped (graph) to their best documents before they are normalised. split=tune or test keeps the queries of one
half (by the MD5 of their ids), depth=1000 the best 1000 documents of each fused list. Choose parameters on tune, and
look at test once. Every fuser, normalizer, temperature and reranker of conf/ that reads neither texts nor a graph can be
used; those that learn (fuser=learned, normalizer=ecdf) from the lock of a sweep, which decides all else too.
pool.importance names a JSON file of the documents' prior importance, {"document": 0..1, ...}, which
fuser=weighted_rrf multiplies by.
"""  # noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray
    from omegaconf import DictConfig

    from harness.lists import Spool


def run(config: DictConfig) -> None:
    """Read, fuse, write, and say what was fused."""
    from harness import lists
    from harness.benchmark import SPLITS, of_split
    from harness.command import complete, plain, typed
    from harness.errors import HarnessError, bounded, one_of
    from harness.fuser import Fuser, fuse
    from harness.importance import read
    from harness.reranker.reranked import Reranked
    from harness.sweep.locked import choice

    complete(config)
    one_of("split", config.split, SPLITS)
    if config.depth is not None:
        bounded("depth", config.depth, 1)
    paths = plain(config.lists)
    if not isinstance(paths, dict) or not paths:
        raise HarnessError(
            f"lists must name at least one file, e.g. 'lists={{dense: d.trec, graph: g.trec}}', got {paths}"
        )
    out = str(config.out)
    chosen = choice(config, list(paths), typed())
    if set(paths) != set(chosen.pool.lists):
        raise HarnessError(
            f"lock={config.lock} fuses the lists {', '.join(chosen.pool.lists)}, lists names {', '.join(paths)}; "
            "give exactly those"
        )
    if chosen.name:
        print(f"as locked: {chosen.name}")
    importance = read(chosen.pool.importance) if chosen.pool.importance else None
    held = lists.open_all(paths)
    _check_shared(held)
    queries = of_split(lists.union(held), config.split)
    if not any(_held(spool, queries).any() for spool in held.values()):
        raise HarnessError(f"no query of these lists is in split={config.split}; use split=all")
    documents = answered = 0
    with lists.writing(out) as put:
        for runs in lists.blocks(held, queries):
            fused = fuse(
                runs,
                cast(Fuser, Reranked(chosen.fuser, chosen.reranker)),
                chosen.normalizer,
                chosen.pool.effective_cap,
                temperature=chosen.temperature,
                capped=list(chosen.pool.capped),
                importance=importance,
                device=config.device,
            ).top(config.depth)
            put(fused)
            documents += len(fused.docs)
            answered += int((fused.lengths() > 0).sum())
    for name, spool in held.items():
        lengths = _held(spool, queries)
        print(f"{name}: {int(lengths.sum())} documents for {int((lengths > 0).sum())} of {len(queries)} queries")
    print(f"{out}: {documents} documents for {answered} queries (split {config.split})")


def _held(spool: Spool, queries: pa.StringArray) -> NDArray[np.int64]:
    """How many documents a list has for each of these queries that it holds."""
    import pyarrow.compute as pc

    wanted: NDArray[np.bool_] = pc.is_in(spool.query_ids, value_set=queries).to_numpy(zero_copy_only=False)
    return spool.lengths()[wanted]


def _check_shared(held: dict[str, Spool]) -> None:
    """Raise when lists have no query in common: they are not about the same questions."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    from harness.errors import HarnessError

    first, *others = [(name, spool.query_ids.filter(pa.array(spool.lengths() > 0))) for name, spool in held.items()]
    for name, queries in others:
        if not np.asarray(pc.is_in(queries, value_set=first[1])).any():
            raise HarnessError(
                f"lists.{first[0]} and lists.{name} share no query; check that both files use the same query ids"
            )
