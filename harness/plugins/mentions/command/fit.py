"""Fit the weights of a list on tune, cross-fitted by fold, and store them.

conf/target says which numbers may move: `mention_paths`, `mention_walk` or `ppr`. It is a coordinate search with a fixed seed, bounded by fit.rounds,
penalised by fit.penalty, ended early by fit.stop. It runs on all of tune, and once without each of
its folds (questions that share gold are in one), which gives the objective on questions that a fit
was not trained on. Test is never used.

  harness fit target=ppr                                  on tune of the sample benchmark
  harness fit target=ppr dataset=folder dataset.path=mine     on tune of your data
  harness fit target=mention_paths 'fit.datasets=[2wikimultihopqa,musique,hotpotqa]'
  harness fit target=mention_paths 'fit.datasets=[2wikimultihopqa,musique,hotpotqa]' fit.leave_out=musique

The file's path is the last line. A list under its weights, each tune question by a fit without it:

  harness sweep +retriever@lists.fitted=fitted +retriever@lists.fitted.retriever=ppr lists.fitted.path=FILE
"""

from __future__ import annotations

from omegaconf import DictConfig

from harness.command import CHOICE, FUSION, complete, typed, warn_unread


def run(config: DictConfig) -> None:
    """Fit, print the weights and their scores, and print the file's path."""
    from harness.core.table import Column, Table
    from harness.plugins.mentions.fit import fit

    complete(config)
    warn_unread(*CHOICE)
    warn_unread(*FUSION)
    place, found = fit(config, typed())
    knobs = {name: knob for stage in found["stages"] for name, knob in stage.items()}
    rows = [
        [
            name,
            f"{knobs[name][0]:g}",
            f"{value:g}",
            "  ".join(f"{part[name]:g}" for part in found["folds"].values()),
        ]
        for name, value in found["weights"].items()
    ]
    columns = [
        Column(title, "text") for title in ("weight", "start", "fitted", "without each fold")
    ]
    print(Table("weights", "weights", columns, rows).text())
    print()
    scores = [
        [
            name,
            one["n"],
            one["start"],
            one.get("fit"),
            one.get("held_out_folds"),
            one.get("left_out"),
        ]
        for name, one in found["objective"].items()
    ]
    shares = [
        Column(f"{title} %")
        for title in ("start", "fitted and scored on the same", "held-out folds", "left out")
    ]
    title = f"mean of {', '.join(found['metrics'])} on tune"
    print(
        Table(
            "objective",
            title,
            [Column("benchmark", "text"), Column("n", "count"), *shares],
            scores,
        ).text()
    )
    print(place)
