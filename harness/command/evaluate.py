"""Score a run against gold: any metrics at any depths, by hop count and by question type.

  harness evaluate run=f.trec gold=queries.jsonl 'k=[5,10]' out=metrics.json
  harness evaluate run=f.trec gold=qrels.txt 'metrics=[recall,ndcg,mrr@10]' k=20 ties=trec out=table.tex
  harness evaluate run=f.trec gold=queries.jsonl split=test strict=true
  harness evaluate -m run=a.trec,b.trec gold=queries.jsonl    one after the other, and a joint table

The run is a TREC run file (plain or .gz), .json or .parquet; or {file: a.csv, columns: {doc: pid}}
if its columns have other names. The gold is a queries.jsonl with `id`, `supporting_ids` in hop order,
`hops`, `type`; TREC qrels or Qrels of ranx (no hop order: last_hop is null); or a benchmark.

`harness list metric` has the metrics; one without @k is taken at each k. Every gold query counts:
one that the run lacks scores 0. Queries that the gold lacks are counted and not scored; strict=true
refuses both. lenient=true ignores comment lines and trailing fields of TREC files. A document
supports its query if its relevance is at least `rel` (1). last_hop leaves out queries with
"ordered": false; dataset.chain={order: [known]} counts only those whose `order` is `known`.

Choose on split=tune (half of the questions, by the MD5 of their ids) and report split=test;
splitting=given reads the field `split`, splitting=splits.tsv a file of lines `id split`. Equal
scores are ordered by document id (ties=trec: as trec_eval does). If another order of them would
change a number, a caution gives its range. The ending of `out` decides its form: .json, .parquet (a
row a query), .csv, .tex, .txt, .md, .html. explain=true also prints every group, and how many
questions and gold documents the run has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from omegaconf import DictConfig

from harness.command import at_depths, complete, keep_inputs, print_paths, python_value

if TYPE_CHECKING:
    from harness.core.table import Table


def run(config: DictConfig) -> Table:
    """Read the run, score it, print and write; return the row of all questions."""
    from dataclasses import replace
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
    metrics = at_depths(python_value(config.metrics), python_value(config.k))
    gold, source = read_gold(config), str(file)
    read = lists.read(file, config.lenient, python_value(config.columns))
    ranked = apply_own_document({source: read}, config.own_document)[source]
    evaluation = evaluate_run(ranked, gold, metrics, ties=config.ties, source=source)
    if config.strict:
        check_whole({source: evaluation.coverage}, gold)
    whole, rows = evaluation.table(), partial(evaluation.to_frame, per_query=True)
    written = write_result(config.out, evaluation.json, whole, queries=rows)
    table = evaluation.table(short=not explain)
    if explain:
        table = replace(table, notes=[*table.notes, *evaluation.explanation()])
    print(*shown_lines(table), sep="\n")
    for caution in evaluation.cautions(table, evaluation.coverage.read):
        print(*paragraph(caution), sep="\n")
    print_paths(written)
    return whole.take(rows=[0]).without(["questions"])
