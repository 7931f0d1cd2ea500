"""A finished sweep, checked: every file against its hash, and, on demand, every number against a new computation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from harness.core.errors import HarnessError
from harness.sweep.folder.integrity import FILES, HELDOUT, bytes_sha256, check_file, read_entry, recorded
from harness.sweep.folder.result import SweepResult
from harness.sweep.heldout import locked, score
from harness.sweep.heldout.ledger import Ledger
from harness.sweep.trial.prepared import Prepared


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
        yield "held out   not yet"
        return
    if entry["sha256"] not in {line["sha256"] for line in ledger.entries()}:
        raise HarnessError(
            f"{ledger.path}: it lacks evaluation {entry['evaluation']} of {entry['dataset']}, which {folder} holds; "
            "give the ledger that it was written to, paths.ledger=FILE"
        )
    yield f"held out   evaluation {entry['evaluation']}, {entry['time']}; its files are those that the ledger holds"


def verify_numbers(result: SweepResult, prepared: Prepared) -> Iterator[str]:
    """Score all trials on tune again, and the held-out ones on test, and compare to the bit; a line about each split.

    Test is scored only where it was held out before, and no number of it is shown: it is no new look.
    """
    trials = prepared.plan.trials()
    keys = dict(zip(prepared.hashes(trials), trials, strict=True))
    wanted = [str(key) for key in result.trials["trial"]]
    if missing := [key for key in wanted if key not in keys]:
        raise HarnessError(f"{result.folder}/config.yaml no longer gives trial {missing[0]}; sweep again")
    found = prepared.ranks([keys[key] for key in wanted], "tune")
    differ = int((found != np.asarray(result.ranks)).sum()) if found.shape == result.ranks.shape else -1
    if differ:
        what = "other questions" if differ < 0 else f"{differ} gold ranks differ"
        raise HarnessError(f"{result.folder / 'ranks.npy'}: not what is computed now ({what}); see `harness rerun`")
    yield f"tune       {len(wanted)} trials scored again: the same ranks, to the bit"
    entry = read_entry(result.folder, result.lock)
    if entry is None:
        return
    files = score(
        locked(result, prepared, result.lock),
        prepared,
        result.lock,
        {key: entry[key] for key in ("evaluation", "looks")},
    )
    for name, content in files.items():
        if bytes_sha256(content) != entry["files"][name]:
            raise HarnessError(f"{result.folder / name}: not what is computed now; data, a list, or the code differs")
    yield f"test       {len(result.heldout or ())} trials scored again: the same files, to the bit (no new look)"
