"""Score a run against gold: any metrics at any depths, by hop count and by question type.

The run is a TREC run file (plain or .gz), .json, .parquet or a stored run, see `harness fuse
--help`; or {file: a.csv, columns: {doc: pid}}, whose columns are called so. The gold is a
queries.jsonl with `id`, `supporting_ids` in hop order, `hops`, `type`; TREC qrels, or .json or
.parquet as ranx writes Qrels (no hop order: last_hop is null then); or the name or folder of a
benchmark.

  harness evaluate run=f.trec gold=queries.jsonl
  harness evaluate run=f.trec gold=queries.jsonl 'k=[5,10]' out=metrics.json
  harness evaluate run=f.trec gold=qrels.txt 'metrics=[recall,ndcg,mrr@10]' k=20 ties=trec out=table.tex
  harness evaluate run=f.trec gold=queries.jsonl split=test strict=true
  harness evaluate -m run=a.trec,b.trec gold=queries.jsonl    one after the other, and a joint table

Metrics: last_hop@k (the last supporting passage is in the top k), full_sup@k (all are), success@k
(one is; any_sup@k is the same), recall@k (share of them), ndcg@k, mrr, precision@k, map, r_precision.
A name without @k is taken at each k. Every gold query counts: one that the run lacks has found
nothing. Queries that the gold does not know are counted and not scored;
strict=true refuses both. Run and gold that have no query or no document in common are refused;
where they share less than half, a warning stands in the table and in `coverage` of the JSON.
lenient=true passes over comment lines (#) and trailing fields of TREC files.

A judged document supports its query from relevance `rel` on (1); ndcg has graded judgements as
gains. A query with nothing relevant is left out, and counted; with ties=trec it counts 0, as in
trec_eval.

last_hop does not count queries with "ordered": false. Or dataset.chain={order: [known]} names a
field and the values of those that count, dataset.chain=all counts every query; `n of last_hop` says
how many.

Choose on the questions of split=tune (half of them, by the MD5 of their ids) and report those of
split=test. splitting is what `split` is to a sweep: disjoint keeps
queries that share gold passages on one side; given goes by the field `split` of queries.jsonl
(tune, train, dev, validation; test), 'splitting={blind: test}' says what another name means;
splitting=splits.tsv is a file with lines `id split`.

Equal scores are ordered by document id ascending. ties=trec does as trec_eval does (scores as
32-bit floats, equal ones by document id descending). Where another order of equal scores would
change a number of the table, a caution says the range over all orders (tie_ranges in JSON).
`out` by its ending: .json (everything, with each query), .parquet (a row a query, with the ranks of
its gold passages; NAME-queries.csv beside a .csv has the same), .csv, .tex, .txt, .md, .html (the
table). Printed are all queries and, of the groups by hop count and by type, those of which there
are several; explain=true prints every group, what the metrics count, and what run and gold have in
common.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from omegaconf import DictConfig

from harness.command import at_depths, complete, keep_inputs, print_paths, python_value

if TYPE_CHECKING:
    from harness.core.table import Table


def run(config: DictConfig) -> Table:
    """Read the run, score it, print and write; return the row of all questions."""
    from functools import partial

    from harness.core.table import paragraph, shown_lines
    from harness.evaluation.id_coverage import apply_own_document, check_whole, read_gold
    from harness.evaluation.run_evaluation import evaluate_run
    from harness.report.output import check_ending, write_result
    from harness.run import io as lists
    from harness.run.systems import file_of

    complete(config)
    explain = config.explain
    check_ending(config.out, queries=True)
    file = file_of("run", python_value(config.run))
    keep_inputs(config, file.path)
    wanted = at_depths(python_value(config.metrics), python_value(config.k))
    gold, source = read_gold(config), str(file)
    read = lists.read(file, config.lenient, python_value(config.columns))
    ranked = apply_own_document({source: read}, config.own_document)[source]
    found = evaluate_run(ranked, gold, wanted, ties=config.ties, source=source)
    if config.strict:
        check_whole({source: found.coverage}, gold)
    whole, rows = found.table(), partial(found.to_frame, per_query=True)
    written = write_result(config.out, found.json, whole, queries=rows)
    table = found.table(short=not explain)
    print(*shown_lines(table), sep="\n")
    for caution in found.cautions(table, found.coverage.read):
        print(*paragraph(caution), sep="\n")
    for topic, text in found.explanation().items() if explain else ():
        print("", *paragraph(f"{topic}: {text}"), sep="\n")
    print_paths(written)
    return whole.take(rows=[0]).without(["questions"])
