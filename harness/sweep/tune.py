"""The first half of the protocol: score every trial on tune, and lock the choice."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from harness.benchmark.cluster import clusters, share_gold
from harness.core.errors import HarnessError
from harness.core.files import locked, make_folder, remove_partials, write_array, write_frame, write_json, write_text
from harness.core.identity import code_version, digest, library_versions
from harness.evaluation.metric import Metric
from harness.sweep.folder import scores
from harness.sweep.folder.integrity import hashes
from harness.sweep.folder.latest import remember
from harness.sweep.folder.result import LOCK, SweepResult
from harness.sweep.heldout.family import family
from harness.sweep.judge import choice
from harness.sweep.judge.foresight import foresight
from harness.sweep.judge.leaderboard import score_tune
from harness.sweep.judge.selection import find_named
from harness.sweep.judge.trial_table import frame
from harness.sweep.trial import Trial, engine
from harness.sweep.trial.cost import cost
from harness.sweep.trial.coverage import coverage
from harness.sweep.trial.lists import fitted, recalls, retrievers, store
from harness.sweep.trial.prepared import Prepared
from harness.work import progress

log = logging.getLogger(__name__)


def sweep(prepared: Prepared, trials: Sequence[Trial]) -> SweepResult:
    """Score the trials on tune, write the sweep's folder with its lock, and point ``latest`` at it."""
    started = time.perf_counter()
    data = prepared.benchmark
    members = data.members("tune")
    if not len(members):
        raise HarnessError(
            f"{data.name}: no query falls into tune; split={data.splitting} needs more than {len(data.split)}"
        )
    log.info("score %d trials on %d queries: begins", len(trials), len(members))
    progress.stage("score")
    board = score_tune(prepared, trials)
    progress.stage("score", board.seconds)
    progress.stage("judge")
    prepared, known, ordered, ranks = board.prepared, board.trials, board.rows, board.ranks
    plan, labels, scoring = prepared.plan, clusters(data.gold[members]), board.seconds
    log.info("score: done in %.1f s", scoring)

    test = data.members("test")
    tied = {
        "dataset": data.name,
        "data_sha256": data.sha256,
        "split": "tune",
        "splitting": data.splitting,
        "shared_gold": float(share_gold(data.gold[test], data.gold[members]).mean()) if len(test) else 0.0,
        "n": ordered[0]["n"],
        "objective": plan.config.objective,
        "reference": plan.reference,
    }
    asked = test[data.ordered[test]] if Metric.parse(plan.config.objective).ordered else test
    fresh = np.bincount(clusters(data.gold[asked]))
    ahead = foresight(ordered, ranks, plan.config.objective, len(asked), plan.reference, labels, fresh)
    whole = {"trials": len(known), "ranks_sha256": hashlib.sha256(ranks.tobytes()).hexdigest()}
    judging = time.perf_counter() - started - scoring
    about = find_named(plan.experiment, [row["parameters"] for row in ordered])

    def learned(wanted: Sequence[str]) -> dict[str, dict[str, Any]]:
        return dict(zip(wanted, prepared.learned([known[key] for key in wanted]), strict=True))

    wanted = [plan.config.objective, plan.margin, plan.experiment]
    wanted += [] if data.splitting == "md5" else [data.splitting]
    wanted += (
        [] if plan.reference == "dense" else [{"reference": plan.reference}]
    )  # left out at its default: older folders keep names
    identity = digest([sorted(known), *wanted, code_version(), library_versions()])[:12]
    folder = Path(plan.config.paths.runs) / "sweeps" / f"{data.name}-{identity}"
    make_folder(folder)
    runs = {name: run.take(members) for name, run in prepared.runs.items()}
    pools = dict.fromkeys(trial.pool for trial in known.values() if trial.family != "single")
    ceilings = [
        {
            "lists": list(spec.lists),
            "cap": spec.effective_cap,
            "share": engine.ceiling(spec, runs, data.gold[members]),
            "candidates": engine.pool_size(spec, runs),
        }
        for spec in pools
    ]
    with locked(folder.with_suffix(".lock")):
        remove_partials(folder)
        if not _evaluated(folder):
            write_text(folder / "config.yaml", plan.stored())
            write_frame(folder / "trials.parquet", frame(ordered))
            write_frame(folder / "queries.parquet", prepared.queries("tune"))
            write_array(folder / "ranks.npy", ranks)
            write_frame(folder / "scores.parquet", scores.to_frame(runs))
            write_json(
                folder / "manifest.json",
                {
                    **tied,
                    "counts": {"passages": len(data.doc_ids), "queries": len(data.query_ids)},
                    "code": code_version(),
                    "libraries": library_versions(),
                    "lists": prepared.identities,
                    "single": list(prepared.runs),
                    "ceiling": ceilings,
                    "coverage": coverage(prepared, "tune"),
                    "margin": plan.margin,
                    **plan.graphs(data),
                    "fitted": fitted(retrievers(plan.config), data),
                    "recalls": recalls(prepared.identities, data, store(plan.config)),
                    **ahead,
                    "seconds": round(time.perf_counter() - started, 3),
                    "cost": cost(
                        prepared.identities,
                        data.sha256,
                        store(plan.config),
                        {"score": scoring, "judge": judging},
                        len(data.questions),
                    ),
                },
            )
            facts = {
                **tied,
                **ahead,
                **whole,
                **board.facts,
                "margin": plan.margin,
                "family": family(plan.experiment, plan.given),
                "files": hashes(folder),
            }
            write_json(folder / LOCK, choice.lock(ordered, facts, about, learned))
        remember(folder)
    return SweepResult(folder)


def _evaluated(folder: Path) -> bool:
    """Whether the same sweep is there already and was held out: then its files stay as they were evaluated."""
    try:
        return SweepResult(folder).heldout is not None
    except HarnessError:
        return False
