"""Damaged inputs to every reader: each gives a result or one line for the user, never a traceback,
never a crash.
"""

from __future__ import annotations

import json
import random
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from harness.core.errors import HarnessError
from tests.soak.nodes import is_structured, replace_node
from tests.soak.readers import Reader, readers
from tests.soak.work import in_fork

PIECES = (
    b"",
    b"\x00",
    b"\xff",
    b"\xed\xa0\x80",
    b'"\\ud800"',
    b"[" * 3000,
    b"9" * 5000,
    b"NaN",
    b"-1",
    b"1e999",
    b"{}",
    b"[[1]]",
    b"null",
    b"\n",
    b"\r",
    b'{"_target_": "os.getcwd"}',
    b"${oc.env:HOME}",
    b"../../x",
    b"\\input{x}",
)
BATCH = 500
NODES = 0.4
"""The share of inputs of JSON and YAML that are whole and say something else."""


def fuzz(count: int) -> Iterator[str]:
    """Bits flipped, pieces put in, cut off, other values under the keys of JSON and YAML: ``count``
    inputs, shared.

    An input that fails is kept in the temporary folder, and the others go on; all faults are told
    at the end.
    """
    faults: dict[str, str] = {}
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        known = readers(folder)
        each = max(1, count // len(known))
        for name, (path, read) in known.items():
            found: Counter[str] = Counter()
            for start in range(0, each, BATCH):
                tally, seed = folder / "tally.json", f"{name} {start}"
                outcome = in_fork(
                    partial(_batch, path, read, seed, min(BATCH, each - start), tally)
                )
                if outcome.kind == "done":
                    counted = json.loads(tally.read_text())
                    found.update(counted["ends"])
                    faults |= {f"{name}: {key}": value for key, value in counted["faults"].items()}
                else:
                    faults[f"{name}: {outcome}"] = seed
            total += found
            yield f"{name}: {found.total()} inputs, {dict(found)}"
    yield f"{total.total()} inputs, {len(known)} readers, {dict(total)}"
    assert not faults, "\n".join(f"{key}: {value}" for key, value in faults.items())


def _batch(path: Path, read: Reader, seed: str, count: int, tally: Path) -> None:
    whole, rng = path.read_bytes(), random.Random(seed)
    ends: Counter[str] = Counter()
    faults: dict[str, str] = {}
    for _ in range(count):
        data = changed(whole, path, rng)
        path.write_bytes(data)
        try:
            read()
            ends["read"] += 1
        except HarnessError:
            ends["refused"] += 1
        except Exception as error:
            ends["faults"] += 1
            last = [
                frame
                for frame in traceback.extract_tb(error.__traceback__)
                if "harness" in frame.filename
            ][-1]
            kept = Path(tempfile.gettempdir()) / f"soak-{len(faults)}-{path.name}"
            kept.write_bytes(data)
            faults[f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"] = (
                f"{error!s:.200} ({kept})"
            )
    path.write_bytes(whole)
    tally.write_text(json.dumps({"ends": ends, "faults": faults}))


def changed(whole: bytes, path: Path, rng: random.Random) -> bytes:
    """The content of a file, damaged or, where it is JSON or YAML, whole with another value
    somewhere.
    """
    return (
        replace_node(whole, path, rng)
        if is_structured(path) and rng.random() < NODES
        else damage(whole, rng)
    )


def damage(whole: bytes, rng: random.Random) -> bytes:
    """A few random changes."""
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
