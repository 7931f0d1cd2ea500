"""Long work over texts, committed in shards: a killed run goes on after the last whole one.

Beside the shards lies what names their texts, so that work on a corpus that has grown takes from there what it can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from harness.core.artifacts import stage_artifacts
from harness.core.identity import text_hashes

SIZE = 1024
Rows = NDArray[np.int32]


def extract_in_shards(
    folder: Path,
    name: str,
    texts: Sequence[str],
    work: Callable[[Sequence[str]], Iterable[Rows]],
    size: int = SIZE,
    made_by: str | None = None,
) -> tuple[list[Rows], int]:
    """``work`` over all texts: one int32[M_i, C] a text, C >= 1 columns the same for all; and how many were taken over.

    A shard ``<name>-00000.npz`` below ``folder`` holds ``size`` texts' rows and is renamed into place when whole.
    made_by: what ``work`` is, where a text's rows follow from the text alone. Then ``<name>-texts.npz`` names the
    texts, and rows of the same texts are taken from the finished artifacts beside this one that were made so.
    """
    result: list[Rows] = []
    known = {} if made_by is None else _known(folder, name, made_by, texts)
    with tqdm(total=len(texts), desc=f"extract {name}", unit="text", leave=False, disable=None) as progress:
        for place, first in enumerate(range(0, len(texts), size)):
            path = folder / f"{name}-{place:05d}.npz"
            part = texts[first : first + size]
            if not path.exists():
                fresh = [text for text in part if text not in known]
                done = iter(work(fresh)) if fresh else iter(())
                rows = [known[text] if text in known else next(done) for text in part]
                lengths = np.array([len(row) for row in rows], dtype=np.int64)
                half = path.with_suffix(".half")
                with half.open("wb") as stream:
                    np.savez(stream, lengths=lengths, rows=np.concatenate(rows))
                half.rename(path)
            result += _rows(path)
            progress.update(len(part))
    if made_by is not None:
        np.savez(folder / f"{name}-texts.npz", made_by=np.array(made_by), texts=text_hashes(texts))
    return result, sum(text in known for text in texts)


def _known(folder: Path, name: str, made_by: str, texts: Sequence[str]) -> dict[str, Rows]:
    """The rows of those texts that finished artifacts hold."""
    missing = {digest.tobytes(): text for digest, text in zip(text_hashes(texts), texts, strict=True)}
    known: dict[str, Rows] = {}
    for artifact in stage_artifacts(folder):
        for path in sorted(artifact.path.rglob(f"{name}-texts.npz")):
            with np.load(path, allow_pickle=False) as found:
                same = str(found["made_by"]) == made_by
                held = [digest.tobytes() for digest in found["texts"]] if same else []
            if any(digest in missing for digest in held):
                shards = sorted(path.parent.glob(f"{name}-[0-9]*.npz"))
                for digest, rows in zip(held, (row for shard in shards for row in _rows(shard)), strict=True):
                    if digest in missing:
                        known[missing.pop(digest)] = rows
    return known


def _rows(path: Path) -> list[Rows]:
    with np.load(path, allow_pickle=False) as shard:
        return np.split(shard["rows"], np.cumsum(shard["lengths"])[:-1])
