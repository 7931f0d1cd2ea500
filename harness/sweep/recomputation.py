"""Checks of a finished sweep: each file by its hash and, on demand, each number by a new
computation.
"""

from __future__ import annotations

import hashlib
import math
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.core.errors import HarnessError
from harness.core.identity import code_version, library_versions, record
from harness.core.table import counted
from harness.sweep.folder.files import FILES, HELDOUT, MEASURED, check_file, read_entry, recorded
from harness.sweep.folder.judged_trial import read_records
from harness.sweep.folder.lock import LOCK
from harness.sweep.folder.result import SweepResult
from harness.sweep.heldout.ledger import Ledger
from harness.sweep.second_opinion import second_opinion

if TYPE_CHECKING:
    import pandas as pd

    from harness.sweep.trial.prepared import Prepared
    from harness.sweep.tune import Findings

UNCOMPARED = ("code", "libraries", "made_by", "sha256", "files", *MEASURED)
"""The keys of a lock or manifest that depend on the machine or on more than is stored."""
CONFIG = "config.yaml"
SAME = "rows, scores and lock"
ABSENT = "nothing"
"""The value that stands for a missing key."""


def verify_files(folder: Path, ledger: Ledger | None) -> Iterator[str]:
    """Check the hash of every file and the evaluation's line in the ledger; yield a line on each
    part.

    Args:
        folder: the sweep's.
        ledger: None for an archive, which does not contain it.

    Raises:
        HarnessError: a file is missing, damaged or changed.
    """
    lock = SweepResult(folder).lock
    hashes = recorded(folder, lock)
    for name in (*FILES, *HELDOUT):
        check_file(folder, name, hashes)
    intact = sum(name in hashes for name in FILES)
    yield f"lock       intact; {intact} of {len(FILES)} files are those that it was written for"
    entry = read_entry(folder, lock)
    if entry is None:
        if ledger is not None:
            ledger.check_whole(folder, lock["sha256"])
        yield "held out   not yet" if ledger else "held out   not in this archive"
        return
    text = f"held out   evaluation {entry['evaluation']}, {entry['time']}; its files match those"
    if ledger is None:
        yield f"{text} in its line; an archive cannot show earlier lines of the ledger"
        return
    if entry["sha256"] not in {line["sha256"] for line in ledger.of_lock(lock["sha256"])}:
        raise HarnessError(
            f"{ledger.path}: it lacks evaluation {entry['evaluation']} of {entry['dataset']}, "
            f"which is in {folder}; "
            "give the ledger that it was written to, paths.ledger=FILE"
        )
    yield f"{text} in the ledger"


def verify_numbers(result: SweepResult, prepared: Prepared) -> Iterator[str]:
    """Compute the stored numbers by statsmodels and SciPy, then score and judge all trials again on
    tune and on test; yield a line on each.

    The sweep is written to another folder and its files are compared: ranks bit for bit; the tables
    of trials, questions and scores, the manifest and the lock by value, with floats equal within
    1e-9 of their size. Other code and libraries are named. Test is scored only if it was held out
    before, and none of its numbers is shown: it is no new evaluation.

    Raises:
        HarnessError: a value differs; the error names the first one.
    """
    from harness.sweep.heldout.locked_trials import locked, placed, score_locked
    from harness.sweep.tune import Findings

    def fault(name: str, what: str) -> HarnessError:
        return HarnessError(f"{result.folder / name}: {what} ({_why(result, findings)})")

    yield from second_opinion(result.folder)
    findings = Findings.of(prepared, prepared.plan.trials())
    stored_keys = [str(key) for key in result.trials["trial"]]
    scored_keys = [str(row.trial) for row in findings.rows]
    if unmatched := sorted({*stored_keys}.symmetric_difference(scored_keys)):
        trials = f"its trials are not those of config.yaml, as {unmatched[0]}; sweep again"
        raise fault("trials.parquet", trials)
    ranks = findings.ranks[[scored_keys.index(key) for key in stored_keys]]
    if ranks.shape != result.ranks.shape:
        raise fault("ranks.npy", "not what is computed now: other questions")
    if differ := int((ranks != np.asarray(result.ranks)).sum()):
        raise fault("ranks.npy", f"not what is computed now: {differ} gold ranks differ")
    with tempfile.TemporaryDirectory() as again_folder:
        shutil.copy(result.folder / CONFIG, again_folder)
        findings.write(Path(again_folder), {})
        stored, computed = _contents(result), _contents(SweepResult(Path(again_folder)))
        for name in stored.keys() & {LOCK, *result.lock["files"]}:
            for path, old, new in differences(stored[name], computed[name]):
                if path.partition(".")[0] not in UNCOMPARED:
                    raise fault(name, f"{path} = {old}, computed now: {new}")
    trials = counted(len(stored_keys), "trial")
    yield (
        f"tune       {trials} scored and judged again: the same ranks, to the bit, the same {SAME}"
    )
    then = {key: result.lock[key] for key in ("code", "libraries")}
    now = {"code": code_version(), "libraries": library_versions()}
    for path, old, new in differences(then, now):
        yield (
            f"           other code wrote it: {path} = {old} then, {new} now; the numbers are the "
            "same"
        )
    entry = read_entry(result.folder, result.lock)
    if entry is None:
        return
    chosen = locked(result, prepared, result.lock)
    for name, content in score_locked(chosen, prepared, result.lock, placed(entry)).items():
        if hashlib.sha256(content).hexdigest() != entry["files"][name]:
            raise fault(name, "not what is computed now")
    trials = counted(len(chosen), "trial")
    yield f"test       {trials} scored again: the same files, to the bit (no new evaluation)"


def _contents(result: SweepResult) -> dict[str, Any]:
    """Return the content of each file; for lists the lengths and scores."""
    scores = {
        name: {"lengths": list_scores.lengths.tolist(), "scores": list_scores.scores.tolist()}
        for name, list_scores in result.scores.items()
    }
    return {
        "trials.parquet": _rows(result.trials),
        "comparisons.parquet": _rows(result.comparisons.query("split == 'tune'")),
        "queries.parquet": _rows(result.queries),
        "scores.parquet": scores,
        "manifest.json": record(result.manifest),
        LOCK: result.lock,
    }


def _why(result: SweepResult, findings: Findings) -> str:
    """Return what has changed since the sweep: data, lists (retrievers, encoders, ...), code,
    libraries.
    """
    then, now = result.manifest, record(findings.manifest)
    keys = ("data_sha256", "split_sha256", "code", "libraries", "versions", "reads", "lists")
    changes: list[str] = []
    for key in keys:
        changed = differences(then.get(key) or {}, now.get(key) or {}, key)
        changes += (f"{path}: {old} then, {new} now" for path, old, new in changed)
    return "; ".join(changes) or "no input that the manifest names differs; a file may"


def _rows(table: pd.DataFrame) -> dict[str, Mapping[str, object]]:
    return {f"row {number}": row for number, row in enumerate(read_records(table), 1)}


def differences(then: Any, now: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the path of each value that differs, with both values.

    Names come first, and a list's length comes before its items.
    """
    start = f"{path}." if path else ""
    if isinstance(then, Mapping) and isinstance(now, Mapping):
        for key in sorted({*then, *now}, key=lambda key: (key not in ("name", "trial"), key)):
            old, new = then.get(key, ABSENT), now.get(key, ABSENT)
            yield from differences(old, new, f"{start}{key}")
    elif isinstance(then, (list, tuple)) and isinstance(now, (list, tuple)):
        if len(then) != len(now):
            yield path, counted(len(then), "entry"), counted(len(now), "entry")
        for place, pair in enumerate(zip(then, now, strict=False)):
            yield from differences(*pair, f"{start}{place}")
    elif isinstance(then, float) and isinstance(now, float):
        if not math.isclose(then, now, rel_tol=1e-9, abs_tol=1e-12):
            yield path, then, now
    elif then != now:
        yield path, then, now
