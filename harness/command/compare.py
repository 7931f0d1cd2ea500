"""Compare runs with a baseline on the same queries: wins, losses, exact p values, intervals.

  harness compare run=f.trec baseline=d.trec gold=queries.jsonl metric=last_hop k=5 out=compare.json
  harness compare 'run=[rrf.trec,f.trec]' baseline=d.trec gold=queries.jsonl 'metric=[last_hop,full_sup]' 'k=[5,10]'
  harness compare 'run={rrf: rrf.trec, ours: f.trec}' baseline=d.trec gold=qrels.txt metric=ndcg k=10 out=table.tex

A query is won when the run has more than the baseline, and lost when it has less; the exact McNemar test asks how
often a fair coin would split them as unevenly (for ndcg, recall and mrr it is the sign test). Holm p and BH p are
corrected for all comparisons of the call. `detectable` is the smallest net share of wins that so many queries show
with 80% power: a difference below it cannot be expected to be significant. Compare with every single list, not with
dense alone.

Runs, gold, split, ties, strict and out are as in `harness evaluate --help`. JSON: one comparison is an object with
metric, k, n, run, baseline, wins, losses, p, wilson, odds_ratio, wins_ids, losses_ids and more; several are a list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from harness.report.sheet import Sheet

BASELINE = "baseline"
HEAD = (
    "run",
    "metric",
    "score",
    "baseline",
    "W",
    "L",
    "p",
    "Holm p",
    "BH p",
    "95% low",
    "95% high",
    "odds",
    "detectable",
)


def run(config: DictConfig) -> None:
    """Read, compare, correct, print and write."""
    from harness import lists
    from harness.command import complete, plain
    from harness.evaluation import compared, ranks_of
    from harness.judging import Judging
    from harness.metric import metrics
    from harness.report import sheet

    complete(config)
    sheet.check(config.out)
    wanted = metrics(plain(config.metric), plain(config.k))
    paths = _named(plain(config.run))
    judging = Judging.of(config)
    baseline = lists.open_one(str(config.baseline))
    judging.checked(BASELINE, str(config.baseline), baseline)
    theirs = ranks_of(baseline, judging.gold, judging.ties)
    results = []
    for name, path in paths.items():
        ranked = lists.open_one(path)
        queries = judging.checked("run", path, ranked)
        ours = ranks_of(ranked, judging.gold, judging.ties)
        for metric in wanted:
            found = compared(ours, theirs, judging.gold, metric)
            files = {"run": path, "name": name, "baseline": str(config.baseline)}
            results.append({**files, **judging.facts(), "queries": queries, **found})
    _correct(results)
    table = _table(results, str(config.baseline), judging.split)
    print(table.text())
    sheet.save(config.out, results[0] if len(results) == 1 else results, table)


def _named(runs: str | Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    """Names and paths: a mapping has them, otherwise a path is its own name."""
    if isinstance(runs, Mapping):
        return {str(name): str(path) for name, path in runs.items()}
    paths = [runs] if isinstance(runs, str) else list(runs)
    return {str(path): str(path) for path in paths}


def _correct(results: list[dict[str, Any]]) -> None:
    from harness.statistic import benjamini_hochberg, holm

    ps = [result["p"] for result in results]
    for result, by_holm, by_bh in zip(results, holm(ps).tolist(), benjamini_hochberg(ps).tolist(), strict=True):
        result |= {"p_holm": by_holm, "p_bh": by_bh}


def _table(results: list[dict[str, Any]], baseline: str, split: str) -> Sheet:
    from harness.report.sheet import Sheet

    rows = []
    for result in results:
        metric = result["metric"] if result["k"] is None else f"{result['metric']}@{result['k']}"
        low, high = result["wilson"] or (None, None)
        scores = [result["name"], metric, result["score"], result["baseline_score"], result["wins"], result["losses"]]
        tests = [result["p"], result["p_holm"], result["p_bh"], low, high, result["odds_ratio"], result["detectable"]]
        rows.append(scores + tests)
    return Sheet(f"against {baseline}: {results[0]['n']} queries, split {split}", HEAD, rows)
