"""Without gold, files hold scores of items, by any metric and tool:

  harness compare run=ours.csv baseline=theirs.csv metric=f1
  harness compare run=logs/new.eval baseline=logs/old.eval metric=match
  harness compare run=ours.csv baseline=theirs.csv missing=drop

They are .csv, .tsv, .jsonl or .parquet with an item and a score (columns item, id, query, qid, ...;
score, value; cluster; run, seed, repeat; or named: columns={item: uid, score: f1, cluster:
passage}), logs of inspect_ai (.eval, .json), samples of lm-evaluation-harness (samples_*.jsonl),
reports of ranx and pytrec_eval (.json). `metric` is a name in the files; it may be left out if
there is only one. More is better, so errors and seconds need a minus. Scores of 0 and 1 get the
exact McNemar test, others a permutation test of the differences (their signs are flipped) and a
bootstrap interval; if items have clusters, tests and intervals by cluster decide. Repeats may also
be a column run, seed or repeat (the epochs of a log).

All files need a score of every item. If an evaluation failed for some, missing=drop leaves these
items out of all files and missing=zero counts them as 0; the table says how many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from omegaconf import DictConfig

from harness.command import python_value, refuse_unread
from harness.core.errors import HarnessError
from harness.plugins.items.score import ScoreComparison, compare_files

OF_LISTS = ("k", "split", "splitting", "dataset.chain", "ties", "rel", "strict", "lenient")
"""Keys that say how ranked lists are judged."""


def compare(
    config: DictConfig, runs: Mapping[str, Sequence[str]], baselines: Mapping[str, Sequence[str]]
) -> list[ScoreComparison]:
    """Return the comparisons of items' scores.

    Raises:
        HarnessError: a key that belongs to ranked lists is set, or ``metric`` is not a name.
    """
    refuse_unread(*OF_LISTS, why="it is of ranked lists, which need gold=queries.jsonl")
    metric = python_value(config.metrics)
    wanted = [metric] if isinstance(metric, str) else metric
    if wanted is not None and not (
        isinstance(wanted, list) and wanted and all(isinstance(one, str) for one in wanted)
    ):
        raise HarnessError(
            f"metric={metric}: expected the name of a metric in the files, or a list of names"
        )
    return compare_files(runs, baselines, wanted, python_value(config.columns), config.missing)
