"""Without gold, files hold scores of items, by any metric and tool:

  harness compare run=ours.csv baseline=theirs.csv metric=f1
  harness compare run=logs/new.eval baseline=logs/old.eval metric=match

They are .csv, .tsv, .jsonl or .parquet with an item and a score (or named: columns={item: uid,
score: f1, cluster: passage}), or logs of inspect_ai, lm-evaluation-harness, ranx, pytrec_eval. More
is better, so errors and seconds need a minus. missing=drop leaves out items that a file lacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from omegaconf import DictConfig

from harness.command import python_value, refuse_unread
from harness.core.errors import HarnessError
from harness.plugins.items.score.score_comparison import ScoreComparison, compare_files

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
        isinstance(wanted, list) and wanted and all(isinstance(name, str) for name in wanted)
    ):
        raise HarnessError(
            f"metric={metric}: expected the name of a metric in the files, or a list of names"
        )
    return compare_files(runs, baselines, wanted, python_value(config.columns), config.missing)
