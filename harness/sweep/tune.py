"""The first half of the protocol: score every trial on tune, and lock the choice."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.errors import HarnessError
from harness.files import write_array, write_frame, write_json, write_text
from harness.identity import code_version, digest, library_versions
from harness.sweep import engine, winner
from harness.sweep.candidates import candidates
from harness.sweep.foresight import foresight
from harness.sweep.plan import Prepared
from harness.sweep.result import LOCK, SweepResult
from harness.sweep.selection import named
from harness.sweep.table import frame, rows
from harness.sweep.trial import Trial


def sweep(prepared: Prepared, trials: Sequence[Trial]) -> SweepResult:
    """Score the trials on tune, write the sweep's folder with its lock, and point ``latest`` at it."""
    started = time.perf_counter()
    plan, data = prepared.plan, prepared.benchmark
    hashes = prepared.hashes(trials)
    members = data.members("tune")
    if not len(members):
        raise HarnessError(f"{data.name}: no query falls into tune; the MD5 split needs more than {len(data.split)}")
    ranks = prepared.ranks(trials, "tune")
    facts = {"dataset": data.name, "split": "tune"}
    scored = rows(trials, hashes, ranks, plan.metrics, plan.config.objective, facts, margin=plan.margin)
    places = winner.order(scored, plan.config.objective)
    ordered, ranks = [scored[place] for place in places], ranks[places]

    tied = {
        "dataset": data.name,
        "data_sha256": data.sha256,
        "split": "tune",
        "n": len(members),
        "objective": plan.config.objective,
    }
    ahead = foresight(ordered, ranks, plan.config.objective, len(data.members("test")))
    whole = {"trials": len(trials), "ranks_sha256": hashlib.sha256(ranks.tobytes()).hexdigest()}
    about = named(plan.experiment, [row["parameters"] for row in ordered])
    known = dict(zip(hashes, trials, strict=True))

    def learned(keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        return dict(zip(keys, prepared.learned([known[key] for key in keys]), strict=True))

    choice = winner.lock(ordered, {**tied, **ahead, **whole, "margin": plan.margin}, about, learned)
    asked = [plan.config.objective, plan.margin, plan.experiment]
    identity = digest([sorted(hashes), *asked, code_version(), library_versions()])[:12]
    folder = Path(plan.config.paths.runs) / "sweeps" / f"{data.name}-{identity}"
    folder.mkdir(parents=True, exist_ok=True)
    runs = {name: run.take(members) for name, run in prepared.runs.items()}
    pools = dict.fromkeys(trial.pool for trial in trials if trial.family != "single")
    ceilings = [
        {
            "lists": list(spec.lists),
            "cap": spec.effective_cap,
            "share": engine.ceiling(spec, runs, data.gold[members]),
            "candidates": candidates(spec, runs),
        }
        for spec in pools
    ]
    write_text(folder / "config.yaml", plan.stored())
    write_frame(folder / "trials.parquet", frame(ordered))
    write_frame(folder / "queries.parquet", prepared.queries("tune"))
    write_array(folder / "ranks.npy", ranks)
    write_json(
        folder / "manifest.json",
        {
            **tied,
            "code": code_version(),
            "libraries": library_versions(),
            "lists": prepared.identities,
            "single": list(prepared.runs),
            "ceiling": ceilings,
            "margin": plan.margin,
            **plan.graphs(data),
            **ahead,
            "seconds": round(time.perf_counter() - started, 3),
        },
    )
    write_json(folder / LOCK, choice)
    write_text(folder.parent / "latest", folder.name + "\n")
    return SweepResult(folder)
