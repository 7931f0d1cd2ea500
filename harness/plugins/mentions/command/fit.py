"""Fit the weights of a list on tune, cross-fitted by fold, and store them.

conf/target says which numbers may move: `mention_paths`, `mention_walk` or `ppr`. The last two start from the list as shipped. It is a coordinate
search with a fixed seed, bounded by fit.rounds, penalised by fit.penalty, ended early by fit.stop. It runs on all of tune, and once without each of
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

from harness.command import CHOICE, FUSION, complete, refuse_unread, typed


def run(config: DictConfig) -> None:
    """Fit, print the weights and their scores, and print the file's path."""
    from harness.core.table import Column, Table
    from harness.plugins.mentions.fit.fit_file import fit

    complete(config)
    refuse_unread(*CHOICE)
    refuse_unread(*FUSION)
    place, content = fit(config, typed())
    starts = {name: knob[0] for stage in content["stages"] for name, knob in stage.items()}
    rows = []
    for name, value in content["weights"].items():
        folds = "  ".join(f"{part[name]:g}" for part in content["folds"].values())
        rows.append([name, f"{starts[name]:g}", f"{value:g}", folds])
    begun = "as shipped" if content["shipped"] else "start"
    titles = ("weight", begun, "fitted", "without each fold")
    print(Table("weights", "weights", [Column(title, "text") for title in titles], rows).text())
    print()
    shares = {
        "start": begun,
        "fit": "fitted and scored on the same",
        "held_out_folds": "held-out folds",
        "left_out": "left out",
    }
    scores = []
    for name, means in content["objective"].items():
        scores.append([name, means["n"], *map(means.get, shares)])
    columns = [Column("benchmark", "text"), Column("n", "count")]
    columns += [Column(f"{title} %") for title in shares.values()]
    title = f"mean of {', '.join(content['metrics'])} on tune"
    print(Table("objective", title, columns, scores).text())
    print(place)
