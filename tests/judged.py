"""Judged trials for tests that look at a part of them."""

from __future__ import annotations

from typing import Any

from harness.sweep.folder.judged_trial import JudgedTrial


def judged(name: str, family: str = "rrf", **fields: Any) -> JudgedTrial:
    """A trial on tune with these fields; the others are of no interest."""
    usual = {
        "trial": name,
        "untuned": False,
        "overrides": [],
        "parameters": {},
        "dataset": "made",
        "split": "tune",
        "n": 1,
        "scores": {},
        "reference": "dense",
        "outcomes": {},
    }
    return JudgedTrial(name=name, family=family, **{**usual, **fields})
