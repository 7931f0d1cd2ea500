"""``harness.compare_scores``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.core.errors import path_of
from harness.plugins.items.score.item_scores import Scores, read_scores
from harness.plugins.items.score.score_comparison import ScoreComparison, compare_systems

Given = str | Path | Mapping[str, float]
"""A file of scores, or ``{item: score}``."""


def compare_scores(
    run: Given | Sequence[Given],
    baseline: Given | Sequence[Given],
    metric: str | None = None,
    columns: Mapping[str, str] | None = None,
    missing: str | None = None,
) -> ScoreComparison:
    """Compare the scores of a system and its baseline on the same items.

    Args:
        run: a file of any evaluation (see ``harness compare --help``), or ``{item: score}``.
            Several are repeats of one system (seeds, draws of a model); the test then takes the
            variation of runs into account.
        baseline: the same for the baseline.
        metric: name of one of the files' metrics; None if there is only one.
        columns: names of a table's columns, ``{"item": "uid", "score": "f1", "cluster":
            "passage"}``.
        missing: ``drop`` leaves out items that lack a score in any file, ``zero`` counts it as 0;
            None refuses them.

    Returns:
        Wins, losses, p (exact McNemar for scores of 0 and 1, otherwise by permutation), intervals.

    Raises:
        HarnessError: an item lacks a score or has two, or a score is not a finite number.
    """
    systems = []
    metrics = None if metric is None else [metric]
    for name, system in (("the run", run), ("the baseline", baseline)):
        repeats = system if isinstance(system, (list, tuple)) else [system]
        shown = str(system) if isinstance(system, str | Path) else name
        by_metric: list[Mapping[str, Scores]] = []
        for source in repeats:
            if isinstance(source, Mapping):
                scores = Scores.from_dict(source, name, metric or "score")
                by_metric.append({scores.metric: scores})
            else:
                by_metric.append(read_scores(path_of(name, source), metrics, columns))
        systems.append({shown: by_metric})
    return compare_systems(systems[0], systems[1], missing)[0]
