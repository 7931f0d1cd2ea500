"""Facts as they are stored: arrays that lead nowhere are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from harness.core.errors import HarnessError
from harness.plugins.policyrag.policy.fact import Facts

FACTS = {
    "subject": np.array([0, 1], np.int32),
    "indptr": np.array([0, 1, 3], np.int64),
    "object": np.array([1, 0, 2], np.int32),
    "passage": np.array([0, 1], np.int32),
    "start": np.array([0, 0], np.int32),
    "end": np.array([5, 6], np.int32),
    "words": np.array([2, 2], np.int64),
}


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("object", lambda found: found + 1, "object: value 3, expected 0 to 2"),
        ("passage", lambda found: found - 1, "passage: value -1, expected 0 to 1"),
        ("indptr", lambda found: found[[0, 2, 1]], "indptr: does not go from 0 up to 3"),
        ("indptr", lambda found: found[:2], r"indptr: int64\[2\], expected int64\[3\]"),
        ("start", lambda found: found.astype(np.int64), r"start: int64\[2\], expected int32\[2\]"),
    ],
)
def test_facts_point_at_what_is_there(
    tmp_path: Path, name: str, change: Callable[[np.ndarray], np.ndarray], said: str
) -> None:
    facts = Facts(**FACTS, stated=[("a", "b", "c"), ("d", "e", "f")])
    facts.save(tmp_path)
    assert (Facts.load(tmp_path, 3, 2).object == facts.object).all()
    np.savez(tmp_path / "facts.npz", **{**FACTS, name: change(FACTS[name])})
    with pytest.raises(HarnessError, match=said):
        Facts.load(tmp_path, 3, 2)


def test_facts_lack_no_array(tmp_path: Path) -> None:
    Facts(**FACTS, stated=[("a", "b", "c"), ("d", "e", "f")]).save(tmp_path)
    np.savez(tmp_path / "facts.npz", **{name: FACTS[name] for name in FACTS if name != "end"})
    with pytest.raises(HarnessError, match=r"facts\.npz:"):
        Facts.load(tmp_path, 3, 2)
