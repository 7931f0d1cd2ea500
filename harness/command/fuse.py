"""Fuse ranked lists of any systems into one.

Needs no corpus: each list is a TREC run file (`qid Q0 docid rank score tag`, plain or .gz), a .json file
`{"query": {"doc": score}}`, or a .parquet file with the columns query_id, doc_id, score. `out` is written in the form
of its ending (.trec, .trec.gz, .json, .parquet), whole or not at all.

  harness fuse 'lists={dense: d.trec, graph: g.trec}' out=fused.trec
  harness fuse 'lists={dense: d.trec, graph: g.trec}' normalizer=pit fuser=boltzmann fuser.alpha=0.7 fuser.beta=0.5 pool.cap=20 out=f.trec
  harness fuse 'lists={a: a.trec, b: b.trec, c: c.trec.gz}' fuser=rrf fuser.k=60 out=rrf.trec.gz
  harness fuse 'lists={a: a.trec, b: b.trec}' fuser=linear 'pool.capped=[b]' pool.cap=50 split=tune out=tune.trec

The list that is called `dense` has the share fuser.alpha; without one, it is the first. pool.cap cuts the lists named
in pool.capped (graph) to their best documents before they are normalised. split=tune or test keeps the queries of one
half (by the MD5 of their ids), depth=1000 the best 1000 documents of each fused list. Choose parameters on tune, and
look at test once. Every fuser, normalizer, temperature and reranker of conf/ that needs no text can be used.
"""  # noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from harness.run import Run


def run(config: DictConfig) -> None:
    """Read, fuse, write, and say what was fused."""
    from harness import lists
    from harness.benchmark import SPLITS
    from harness.command import complete, plain
    from harness.configuration import instantiate
    from harness.errors import HarnessError, bounded, one_of
    from harness.fuser import Fuser, fuse
    from harness.fuser.fusion import check
    from harness.reranker.reranked import Reranked

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
    concepts = ("fuser", "reranker", "normalizer", "temperature")
    fuser, reranker, normalizer, temperature = (instantiate(config[concept]) for concept in concepts)
    check(fuser, normalizer)
    whole = lists.read_all(paths)
    _check_shared(whole)
    runs = {name: _of_split(run, config.split) for name, run in whole.items()}
    if not any(len(single.docs) for single in runs.values()):
        raise HarnessError(f"no query of these lists is in split={config.split}; use split=all")
    fused = fuse(
        runs,
        cast(Fuser, Reranked(fuser, reranker)),
        normalizer,
        config.pool.cap,
        temperature=temperature,
        capped=list(config.pool.capped),
        device=config.device,
    ).top(config.depth)
    lists.write(fused, out)
    for name, single in runs.items():
        lengths = single.lengths()
        print(f"{name}: {int(lengths.sum())} documents for {int((lengths > 0).sum())} of {len(single)} queries")
    print(f"{out}: {len(fused.docs)} documents for {int((fused.lengths() > 0).sum())} queries (split {config.split})")


def _of_split(run: Run, split: str) -> Run:
    import numpy as np

    from harness.benchmark import md5_split

    if split == "all":
        return run
    return run.take(np.array([md5_split(query) == split for query in run.query_ids.to_pylist()], dtype=bool))


def _check_shared(runs: dict[str, Run]) -> None:
    """Raise when lists have no query in common: they are not about the same questions."""
    from harness.errors import HarnessError

    first, *others = [(name, run.lengths() > 0) for name, run in runs.items()]
    for name, held in others:
        if not (first[1] & held).any():
            raise HarnessError(
                f"lists.{first[0]} and lists.{name} share no query; check that both files use the same query ids"
            )
