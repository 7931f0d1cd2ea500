"""Damaged inputs to every reader: each gives a result or one line for the user, never a traceback, never a crash."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import harness
from harness.core.configuration import compose, translate_errors
from harness.core.errors import HarnessError
from harness.sweep.choice import read_winner
from harness.sweep.ledger import Ledger
from harness.sweep.plan import reopen
from harness.sweep.result import SweepResult
from tests.soak.work import benchmark, do_heldout, do_sweep, in_fork

PIECES = (b"", b"\x00", b"\xff", b"\xed\xa0\x80", b'"\\ud800"', b"[" * 3000, b"9" * 5000, b"NaN", b"-1", b"1e999",
          b"{}", b"[[1]]", b"null", b"\n", b"\r", b'{"_target_": "os.getcwd"}', b"${oc.env:HOME}",
          b"../../x", b"\\input{x}")  # fmt: skip
BATCH = 200


def fuzz(count: int) -> Iterator[str]:
    """Bits flipped, pieces put in, cut off, doubled: ``count`` inputs, shared by all readers."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        readers = _readers(folder)
        each = max(1, count // len(readers))
        for name, (path, read) in readers.items():
            found: Counter[str] = Counter()
            for start in range(0, each, BATCH):
                tally = folder / "tally"
                outcome = in_fork(partial(_batch, path, read, f"{name} {start}", min(BATCH, each - start), tally))
                assert outcome.kind == "done", f"{name}, batch {start}: {outcome.text}"
                read_, refused = map(int, tally.read_text().split())
                found.update({"read": read_, "refused": refused})
            yield f"{name}: {found.total()} inputs, {dict(found)}"


def _batch(path: Path, read: Callable[[], object], seed: str, count: int, tally: Path) -> None:
    whole, rng, refused = path.read_bytes(), random.Random(seed), 0
    try:
        for number in range(count):
            data = _damage(whole, rng)
            path.write_bytes(data)
            try:
                read()
            except HarnessError:
                refused += 1
            except Exception as error:
                shutil.copy(path, f"/tmp/soak-{path.name}")
                raise AssertionError(f"input {number} of {seed}, kept as /tmp/soak-{path.name}") from error
    finally:
        path.write_bytes(whole)
    tally.write_text(f"{count - refused} {refused}")


def _damage(whole: bytes, rng: random.Random) -> bytes:
    data = bytearray(whole)
    for _ in range(rng.choice([1, 1, 2, 5])):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(5)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at:at] = rng.choice(PIECES)
        elif kind == 2:
            del data[at:]
        elif kind == 3:
            del data[at : at + rng.randrange(1, 40)]
        else:
            end = min(len(data), at + rng.randrange(1, 40))
            data[at:end] = rng.choice(PIECES)
    return bytes(data)


def _readers(folder: Path) -> dict[str, tuple[Path, Callable[[], object]]]:
    """Each reader by name, with the file that it reads, whole."""
    data, runs = benchmark(folder / "data"), folder / "runs"
    for step in (do_sweep, do_heldout):
        assert (outcome := in_fork(partial(step, data, runs))).kind == "done", outcome.text
    (sweep,) = (path for path in (runs / "sweeps").iterdir() if path.is_dir())
    run = harness.read(str(data / "dense.trec"))
    made: dict[str, tuple[Path, Callable[[], object]]] = {}
    for ending in ("trec", "trec.gz", "json", "parquet"):
        path = folder / f"run.{ending}"
        harness.write(run, str(path))
        made[f"run .{ending}"] = (path, partial(harness.read, str(path)))
    qrels = folder / "qrels.txt"
    qrels.write_text("".join(f"q{number} 0 d{number:02d} 1\n" for number in range(40)))
    made["gold, queries.jsonl"] = (data / "queries.jsonl", partial(harness.Gold.read, str(data / "queries.jsonl")))
    made["gold, qrels"] = (qrels, partial(harness.Gold.read, str(qrels)))
    made["lock"] = (sweep / "winner.lock.json", partial(read_winner, sweep / "winner.lock.json"))
    made["ledger"] = (runs / "ledger.jsonl", Ledger(runs / "ledger.jsonl").entries)
    made["ledger.head"] = (runs / "ledger.head", Ledger(runs / "ledger.jsonl").entries)
    config = compose("heldout", [f"paths.runs={runs}", "tracking=none"])
    old = _without_hashes(sweep)
    for base, kind in ((sweep, "bound"), (old, "before hashes")):
        made[f"config.yaml, {kind}"] = (base / "config.yaml", partial(_open, base, config))
        for name in ("manifest.json", "trials.parquet", "queries.parquet", "ranks.npy", "heldout.json",
                     "heldout_ranks.npy", "heldout_queries.parquet"):  # fmt: skip
            made[f"{name}, {kind}"] = (base / name, partial(_all, base))
    return made


def _open(folder: Path, config: object) -> object:
    with translate_errors():  # as the command line does
        return reopen(folder, config).trials()


def _all(folder: Path) -> object:
    result = SweepResult(folder)
    return result.whole, result.tune, result.test, result.title


def _without_hashes(sweep: Path) -> Path:
    """The same sweep as it was stored before locks held hashes of files: only the readers' own checks are left."""
    import json

    from harness.core.identity import digest

    folder = sweep.parent / "before"
    shutil.copytree(sweep, folder)
    lock = json.loads((folder / "winner.lock.json").read_text())
    content = {key: value for key, value in lock.items() if key not in ("sha256", "files")}
    (folder / "winner.lock.json").write_text(json.dumps({**content, "sha256": digest(content)}))
    (folder / "heldout.entry.json").unlink()
    return folder
