"""A finished sweep, checked: each file against its hash and, on demand, each number against a new computation."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.core.errors import HarnessError
from harness.core.identity import code_version, library_versions, record
from harness.core.sources import own_now
from harness.sweep.folder.integrity import FILES, HELDOUT, MEASURED, check_file, read_entry, recorded
from harness.sweep.folder.lock import LOCK
from harness.sweep.folder.result import SweepResult
from harness.sweep.folder.rows import records
from harness.sweep.heldout.ledger import Ledger

if TYPE_CHECKING:
    import pandas as pd

    from harness.sweep.trial.prepared import Prepared

UNCOMPARED = ("code", "libraries", "sha256", "extended", *MEASURED)
"""What of a lock or manifest follows from the machine, or, as what a grid was extended by, from more than is stored."""
ABSENT = "nothing"
"""What a mapping without a key is said to have there."""


def verify_files(folder: Path, ledger: Ledger) -> Iterator[str]:
    """Check the hash of every file, and the evaluation's line in the ledger; a line about each part.

    Raises HarnessError for the first file that is missing, damaged or changed.
    """
    lock = SweepResult(folder).lock
    hashes = recorded(folder, lock)
    for name in (*FILES, *HELDOUT):
        check_file(folder, name, hashes)
    kept = [name for name in FILES if name in hashes]
    yield f"lock       intact; {len(kept)} of {len(FILES)} files are those that it was written for"
    entry = read_entry(folder, lock)
    if entry is None:
        ledger.check_whole(folder, lock["sha256"])
        yield "held out   not yet"
        return
    if entry["sha256"] not in {line["sha256"] for line in ledger.of_lock(lock["sha256"])}:
        raise HarnessError(
            f"{ledger.path}: it lacks evaluation {entry['evaluation']} of {entry['dataset']}, which {folder} holds; "
            "give the ledger that it was written to, paths.ledger=FILE"
        )
    yield f"held out   evaluation {entry['evaluation']}, {entry['time']}; its files are those that the ledger holds"


def verify_numbers(result: SweepResult, prepared: Prepared) -> Iterator[str]:
    """Score and judge all trials on tune again, then the held-out ones on test, and compare; a line about each split.

    Compared on tune are the ranks, to the bit, and what follows from them: the tables, the manifest and the lock, so
    rows, order, winner, reference, best single list and the locked set; floats may differ by 1e-9 of their size. Test
    is scored only where it was held out before, and no number of it is shown: it is no new look.

    Raises HarnessError that names the first value that differs.
    """
    from harness.sweep.heldout import locked, look_of, score
    from harness.sweep.tune import Findings

    found, lock = Findings.of(prepared, prepared.plan.trials()), result.lock
    wanted, now = [str(key) for key in result.trials["trial"]], [str(row["trial"]) for row in found.rows]
    if missing := sorted({*wanted} ^ {*now}):
        raise HarnessError(
            f"{result.folder / 'trials.parquet'}: its trials are not those of config.yaml, as {missing[0]} "
            f"({_why(result, prepared)}); sweep again"
        )
    ranks = found.ranks[[now.index(key) for key in wanted]]
    differ = int((ranks != np.asarray(result.ranks)).sum()) if ranks.shape == result.ranks.shape else -1
    if differ:
        what = "other questions" if differ < 0 else f"{differ} gold ranks differ"
        raise HarnessError(
            f"{result.folder / 'ranks.npy'}: not what is computed now ({what}): {_why(result, prepared)}"
        )
    stored = {
        "trials.parquet": (_rows(result.trials), _rows(found.tables["trials.parquet"])),
        "queries.parquet": (_rows(result.queries), _rows(found.tables["queries.parquet"])),
        "manifest.json": (record(result.manifest), json.loads(json.dumps(found.manifest))),
        LOCK: (lock, json.loads(json.dumps(found.lock(lock.get("files", {}))))),
    }
    same_code = lock["code"] == code_version()
    unknown: dict[str, None] = {}
    for name, (then, anew) in stored.items():
        for path, old, new in differences(then, anew):
            if path.split(".")[0] in UNCOMPARED:
                continue
            if not same_code and ABSENT in (old, new):
                unknown[path.split(".")[-1]] = None
                continue
            why = _why(result, prepared)
            raise HarnessError(f"{result.folder / name}: {path} = {old}, computed now: {new} ({why})")
    yield f"tune       {len(wanted)} trials scored and judged again: the same ranks, to the bit, the same rows and lock"
    if unknown:
        yield f"           other code wrote it, so these could not be compared: {', '.join(unknown)}"
    entry = read_entry(result.folder, result.lock)
    if entry is None:
        return
    files = score(locked(result, prepared, result.lock), prepared, result.lock, look_of(entry))
    for name, content in files.items():
        if hashlib.sha256(content).hexdigest() != entry["files"][name]:
            raise HarnessError(f"{result.folder / name}: not what is computed now; data, a list, or the code differs")
    yield f"test       {len(result.heldout or ())} trials scored again: the same files, to the bit (no new look)"


def _why(result: SweepResult, prepared: Prepared) -> str:
    """What the sweep was computed from and is other now: data, lists (retrievers, encoders, ...), code, libraries."""
    now = {
        "data_sha256": prepared.benchmark.sha256,
        "split_sha256": prepared.benchmark.split_facts.get("split_sha256"),
        "code": code_version(),
        "libraries": library_versions(),
        "sources": own_now(result.lock.get("sources", {})),
        "lists": record(prepared.identities),
    }
    then = {key: record(result.manifest.get(key)) for key in now} | {"sources": result.lock.get("sources", {})}
    told = (f"{path}: {old} then, {new} now" for path, old, new in differences(then, now))
    return "; ".join(told) or "no input differs, so it was changed after it was written"


def _rows(table: pd.DataFrame) -> dict[str, Mapping[str, Any]]:
    return {f"row {number}": row for number, row in enumerate(records(table), 1)}


def differences(then: Any, now: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The path to each value that is another, with both: names come first, a list's length comes before its items."""
    if isinstance(then, Mapping) and isinstance(now, Mapping):
        for key in sorted({*then, *now}, key=lambda key: (key not in ("name", "trial"), key)):
            yield from differences(then.get(key, ABSENT), now.get(key, ABSENT), f"{path}.{key}" if path else str(key))
    elif isinstance(then, (list, tuple)) and isinstance(now, (list, tuple)):
        if len(then) != len(now):
            yield path, f"{len(then)} entries", f"{len(now)} entries"
        for place, pair in enumerate(zip(then, now, strict=False)):
            yield from differences(*pair, f"{path}.{place}" if path else str(place))
    elif isinstance(then, float) and isinstance(now, float):
        if not math.isclose(then, now, rel_tol=1e-9, abs_tol=1e-12):
            yield path, then, now
    elif then != now:
        yield path, then, now
