"""The second half of the protocol: the locked trials on test, once, and a line in the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.errors import HarnessError
from harness.files import write_array, write_frame, write_json
from harness.identity import code_version
from harness.sweep import winner
from harness.sweep.judgement import Row
from harness.sweep.ledger import Ledger
from harness.sweep.plan import Prepared
from harness.sweep.result import SweepResult
from harness.sweep.table import rows


def heldout(result: SweepResult, prepared: Prepared, again: bool) -> SweepResult:
    """Score exactly the locked trials on test, append to the ledger, and write ``heldout.json``."""
    plan, data = prepared.plan, prepared.benchmark
    choice = winner.opened(result, data.sha256)
    ledger = Ledger(Path(plan.config.paths.runs) / "ledger.jsonl")
    seen = ledger.evaluations(data.sha256)
    if seen and not again:
        raise HarnessError(
            f"the test split of {data.name} has been evaluated already, {seen} times ({ledger.path}); "
            "heldout.again=true evaluates it once more, and every table then says so"
        )
    if not len(data.members("test")):
        raise HarnessError(f"{data.name}: no query falls into test; the MD5 split needs more than {len(data.split)}")
    roles = winner.locked_trials(choice)
    known = dict(zip(prepared.hashes(trials := plan.trials()), trials, strict=True))
    missing = [key for key in roles if key not in known]
    if missing:
        raise HarnessError(
            f"{result.folder}/config.yaml no longer gives the locked trial {missing[0]}; sweep again to lock anew"
        )
    taught = winner.learned(choice)
    chosen = [known[key].knowing(taught[key]) for key in roles]
    ranks = prepared.ranks(chosen, "test")
    objective = str(choice["objective"])
    facts = {"dataset": data.name, "split": "test"}
    scored = rows(chosen, list(roles), ranks, plan.metrics, objective, facts, choice["best_single"], plan.margin)
    entry = ledger.append(
        {
            "dataset": data.name,
            "data_sha256": data.sha256,
            "split": "test",
            "sweep": result.folder.name,
            "lock_sha256": choice["sha256"],
            "code": code_version(),
            "trials": list(roles),
        }
    )
    write_array(result.folder / "heldout_ranks.npy", ranks)
    write_frame(result.folder / "heldout_queries.parquet", prepared.queries("test"))
    told = [
        {**row, "roles": roles[row["trial"]], "evaluation": entry["evaluation"], **_foreseen(row, choice)}
        for row in scored
    ]
    write_json(result.folder / "heldout.json", told)
    return SweepResult(result.folder)


def _foreseen(row: Row, choice: Mapping[str, Any]) -> dict[str, Any]:
    """What was expected of the winner before test was touched, and whether it came so."""
    told = choice.get("expected")
    if told is None or row["trial"] != choice["winner"]["trial"]:
        return {}
    score = row[choice["objective"]]
    return {"expected": told, "as_expected": told["low"] <= score <= told["high"]}
