"""The second half of the protocol: score the locked trials on test, once.

Check, ledger line and files are one step under a lock of the ledger. The line has the hash of the
lock and of the scores. If a process is killed after it, the same command completes it to the same
bytes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import io
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from harness.benchmark import Benchmark
from harness.core.errors import HarnessError
from harness.core.files import remove_partials, whole
from harness.core.identity import code_version, record
from harness.core.table import counted
from harness.sweep.folder.files import ENTRY, LedgerLine, file_hash, read_entry
from harness.sweep.folder.inventory import results
from harness.sweep.folder.judged_trial import Evaluated, comparisons_frame
from harness.sweep.folder.lock import Lock, learned, locked_trials
from harness.sweep.folder.result import SweepResult
from harness.sweep.heldout.ledger import Ledger, Look, ledger_path, pack_keys
from harness.sweep.judge import choice
from harness.sweep.judge.trial_table import judge_trials
from harness.sweep.trial.prepared import Prepared
from harness.sweep.trial.trial import Trial

log = logging.getLogger(__name__)


def heldout(result: SweepResult, prepared: Prepared, again: bool) -> SweepResult:
    """Score exactly the locked trials on test, add the evaluation to the ledger, write the files.

    An evaluation of the same lock that was killed before its files were written is completed, and
    counts once.

    Args:
        result: the sweep.
        prepared: its plan with the data.
        again: whether a split that has been evaluated may be evaluated once more.

    Returns:
        The sweep with its held-out files.

    Raises:
        HarnessError: data, code or lock changed, or the split has been evaluated already.
    """
    request = _Request.of(result, prepared)
    with request.ledger.exclusive():
        remove_partials(result.folder)
        remove_partials(request.ledger.path.parent)
        allowed = request.allow(again)
        place = request.number(allowed)
        files = score_locked(request.trials, prepared, request.lock, place)
        request.write(files, place, allowed.begun)
    return SweepResult(result.folder)


@dataclass(frozen=True)
class _Allowed:
    """An evaluation that may be made.

    Attributes:
        begun: the line of the same evaluation if it was killed before its files were written.
        look: what the ledger knows of the questions.
    """

    begun: LedgerLine | None
    look: Look


@dataclass(frozen=True)
class _Request:
    """The evaluation of a sweep's locked trials on test.

    Attributes:
        trials: the locked trials by hash.
        keys: the keys of each test question (see ``Benchmark.question_keys``).
    """

    result: SweepResult
    data: Benchmark
    lock: Lock
    trials: Mapping[str, Trial]
    keys: Sequence[tuple[str, ...]]
    ledger: Ledger

    @classmethod
    def of(cls, result: SweepResult, prepared: Prepared) -> _Request:
        """Return the request; raise HarnessError if data, code or lock changed."""
        data = prepared.benchmark
        lock = choice.check_unchanged(result, data, prepared.versions(prepared.plan.trials()))
        data.need_members("test")
        trials = locked(result, prepared, lock)
        keys = data.question_keys(data.members("test"))
        prepared.check_own_code(result, list(trials))
        ledger = Ledger(ledger_path(result.folder, prepared.plan.config))
        return cls(result, data, lock, trials, keys, ledger)

    def allow(self, again: bool) -> _Allowed:
        """Check that test may be evaluated; raise HarnessError if not.

        Args:
            again: whether questions that have been evaluated may be evaluated once more.
        """
        folder, ledger = self.result.folder, self.ledger
        begun = _unfinished(ledger, self.lock, folder)
        earlier = read_entry(folder, self.lock)
        if earlier and earlier["sha256"] not in [line["sha256"] for line in ledger.entries()]:
            raise HarnessError(
                f"{folder / ENTRY}: this sweep was evaluated at {earlier['time']}, and "
                f"{ledger.path} does not have it; give the ledger that does: paths.ledger=FILE"
            )
        look = ledger.look(self.keys, self.data.sha256)
        if look.earlier and not (again or begun):
            last = look.earlier[-1]
            raise HarnessError(
                f"the test split of {self.data.name} has been evaluated already, "
                f"{counted(len(look.earlier), 'time')}: {look.sentence}, the last time by "
                f"{last['sweep']} at {last['time']} ({ledger.path}); heldout.again=true evaluates "
                f"them once more, as evaluation {look.evaluation}, which every table then notes"
            )
        return _Allowed(begun, look)

    def number(self, allowed: _Allowed) -> dict[str, int]:
        """Return the columns of ``placed``: which evaluation this is, and what was seen before."""
        look = allowed.look
        place = {"evaluation": look.evaluation}
        if allowed.begun:
            place = placed(allowed.begun)
        else:
            if look.earlier:
                place["seen"] = look.seen
            if shared := _chosen_on(self.result.folder.parent.parent, self.data):
                place["chosen_on"] = shared
        seen = f": {look.sentence}" if look.seen and not allowed.begun else ""
        log.info(
            "held out: %s on %d test questions of %s, evaluation %d%s",
            self.result.folder.name,
            len(self.keys),
            self.data.name,
            place["evaluation"],
            seen,
        )
        return place

    def write(
        self, files: Mapping[str, bytes], place: Mapping[str, int], begun: LedgerLine | None
    ) -> None:
        """Add the line to the ledger, unless the evaluation was begun, then write the files."""
        data, hashes = self.data, {}
        for name, content in files.items():
            hashes[name] = hashlib.sha256(content).hexdigest()
        if begun is None:
            begun = self.ledger.append(
                {
                    **place,
                    "dataset": data.name,
                    "data_sha256": data.sha256,
                    "split": "test",
                    **data.split_facts,
                    "sweep": self.result.folder.name,
                    "lock_sha256": self.lock["sha256"],
                    "code": code_version(),
                    "trials": list(self.trials),
                    "questions": pack_keys(self.keys),
                    "files": hashes,
                }
            )
        elif begun["files"] != hashes:
            raise HarnessError(
                f"{self.ledger.path}: evaluation {begun['evaluation']} of {data.name} was begun at "
                f"{begun['time']} with other numbers; something that is not in the lock has "
                "changed (a list's file, a graph, a model)"
            )
        entry = (json.dumps(begun, indent=1, sort_keys=True) + "\n").encode()
        every = {**files, ENTRY: entry}
        for name in sorted(every, key=lambda name: name == "heldout.json"):  # written last
            with whole(self.result.folder / name) as partial:
                partial.write_bytes(every[name])


def _chosen_on(runs: Path, data: Benchmark) -> int:
    """Return how many test questions other sweeps used for a choice, under another split.

    Under one splitting rule a question always stays on one side; two rules, or an edited file, may
    move it.
    """
    used_ids: set[str] = set()
    for other in results(runs):
        with contextlib.suppress(HarnessError):
            if other.manifest["dataset"] == data.name:
                used_ids |= {*other.queries["id"]}
    return len(used_ids & {*data.ids(data.members("test"))})


def placed(entry: LedgerLine) -> dict[str, int]:
    """Return the columns in ``heldout.json`` of a line of the ledger: the number of the evaluation,
    how many of its questions were evaluated before, and how many other sweeps used for a choice.
    """
    keys = ("evaluation", "seen", "chosen_on")
    return {key: entry[key] for key in keys if entry.get(key) is not None}


def _unfinished(ledger: Ledger, lock: Lock, folder: Path) -> LedgerLine | None:
    """Return the last evaluation of this lock if the folder lacks the files that were scored."""
    evaluations = ledger.of_lock(lock["sha256"])
    files = evaluations[-1].get("files") if evaluations else None
    if files is None:
        return None
    whole = (folder / ENTRY).is_file() and all(
        (folder / name).is_file() and file_hash(folder / name) == sha256
        for name, sha256 in files.items()
    )
    return None if whole else evaluations[-1]


def locked(result: SweepResult, prepared: Prepared, lock: Lock) -> dict[str, Trial]:
    """Return the locked trials by hash, with what they learned on tune, in the lock's order."""
    trials = prepared.plan.trials()
    by_hash = dict(zip(prepared.hashes(trials), trials, strict=True))
    fitted = learned(lock)
    then, now = result.manifest.get("lists") or {}, record(prepared.identities)
    for name in now:
        if then.get(name) != now[name]:
            node = prepared.plan.config.lists[name]
            path = node if isinstance(node, str) else node.get("path")
            file = f", {path}," if path else ""
            raise HarnessError(
                f"{result.folder}: the list {name}{file} has other contents or settings than when "
                "the winner was locked; give the list of then, or sweep again for a new lock"
            )
    for key in fitted:
        if key not in by_hash:
            raise HarnessError(
                f"{result.folder}: its config.yaml, or a strategy that it names, changed and no "
                f"longer gives the locked trial {key}; sweep again for a new lock"
            )
    return {key: by_hash[key].with_learned(fitted[key]) for key in locked_trials(lock)}


def score_locked(
    trials: Mapping[str, Trial], prepared: Prepared, lock: Lock, place: Mapping[str, int]
) -> dict[str, bytes]:
    """Return the files of the evaluation by name; place: see ``placed``."""
    roles, ranks = locked_trials(lock), prepared.ranks(list(trials.values()), "test")
    chosen = choice.Chosen.of_lock(lock)
    scored = judge_trials(prepared, trials, ranks, "test", chosen, place["evaluation"])
    covered = prepared.coverage("test")
    ends = prepared.tie_range(trials[chosen.winner], "test")
    judged = []
    for row, trial in zip(scored, trials.values(), strict=True):
        of_winner = {}
        if row.trial == chosen.winner:
            of_winner = {**expectation(row.scores[lock["objective"]], lock), "tie_range": ends}
        evaluated = Evaluated(
            evaluation=place["evaluation"],
            seen=place.get("seen", 0),
            chosen_on=place.get("chosen_on", 0),
            coverage={name: covered[name] for name in trial.pool.lists},
            roles=roles[row.trial],
            **of_winner,
        )
        judged.append(dataclasses.replace(row, on_test=evaluated))
    table = [row.record for row in judged]
    array, queries, comparisons = io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.save(array, ranks, allow_pickle=False)
    prepared.queries("test").to_parquet(queries, index=False)
    comparisons_frame(judged, lock["objective"]).to_parquet(comparisons, index=False)
    return {
        "heldout_comparisons.parquet": comparisons.getvalue(),
        "heldout.json": (json.dumps(table, indent=1, sort_keys=True) + "\n").encode(),
        "heldout_queries.parquet": queries.getvalue(),
        "heldout_ranks.npy": array.getvalue(),
    }


def expectation(score: float, lock: Lock) -> dict[str, Any]:
    """Return the forecast of the winner from before test, and whether its score is within it."""
    forecast = lock.get("expected")
    if forecast is None:
        return {}
    return {"expected": forecast, "as_expected": forecast["low"] <= score <= forecast["high"]}
