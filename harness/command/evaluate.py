"""Score a run against gold: any metrics at any depths, by hop count and by question type.

The run is a TREC run file (plain or .gz), .json, .parquet or a run of ours, see `harness fuse --help`. The gold is a
queries.jsonl with `id`, `supporting_ids` in hop order, `hops`, `type`, or a TREC qrels file (no hop order: last_hop is
null then), or the name or folder of a benchmark.

  harness evaluate run=f.trec gold=queries.jsonl
  harness evaluate run=f.trec gold=queries.jsonl 'k=[5,10]' out=metrics.json
  harness evaluate run=f.trec gold=qrels.txt 'metrics=[recall,ndcg,mrr@10]' k=20 ties=trec out=table.tex
  harness evaluate run=f.trec gold=queries.jsonl split=test strict=true

Metrics: last_hop@k (the last supporting passage is in the top k), full_sup@k (all are), any_sup@k (one is), recall@k
(share of them), ndcg@k, mrr. A name without @k is taken at each k. Every gold query counts: one that the run lacks has
found nothing. Queries that the gold does not know are counted and not scored; strict=true refuses both.

Equal scores are ordered by document id ascending. ties=trec does as trec_eval does (scores as 32-bit floats, equal ones
by document id descending). `out` by its ending: .json (everything, with each query), .csv, .tex, .txt (the table).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from harness.report.sheet import Sheet


def run(config: DictConfig) -> None:
    """Read, score, print and write."""
    from harness import lists
    from harness.command import complete, plain
    from harness.evaluation import evaluate
    from harness.judging import Judging
    from harness.metric import metrics
    from harness.report import sheet

    complete(config)
    sheet.check(config.out)
    names, depths = plain(config.metrics), plain(config.k)
    metrics(names, depths)
    judging = Judging.of(config)
    ranked = lists.open_one(config.run)
    queries = judging.checked("run", str(config.run), ranked)
    found = evaluate(ranked, judging.gold, names, depths, judging.ties)
    result = {"run": str(config.run), **judging.facts(), "queries": queries, **found}
    if not judging.gold.ordered and None in found["metrics"].values():
        result["note"] = f"{config.gold} has no hop order, so there is no last hop: last_hop is null"
        print(f"note: {result['note']}")
    table = _table(str(config.run), judging.split, found)
    print(table.text())
    sheet.save(config.out, result, table)


def _table(name: str, split: str, found: dict[str, Any]) -> Sheet:
    from harness.report.sheet import Sheet

    head = ["queries", "n", *found["metrics"]]
    rows = [["all", found["n"], *found["metrics"].values()]]
    for title, part in (("hops", found["by_hops"]), ("type", found["by_type"])):
        rows += [[f"{title} {label}", *scores.values()] for label, scores in part.items()]
    return Sheet(f"{name}: {found['n']} queries, split {split}", head, rows)
