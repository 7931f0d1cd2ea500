"""Activation by hand, step by step, with an encoder whose cosines are known."""

import numpy as np
import pytest

from harness.graph.extractor.offline import Offline
from harness.model.encoder import embed
from harness.model.encoder.hashed import Hashed
from harness.plugins.walks.retriever.title_activation import TitleActivation
from harness.work.store import Store

WORLD = [
    ("Dune (film)", "Dune was filmed by David Lynch."),
    ("David Lynch", "David Lynch grew up in Missoula."),
    ("Missoula", "Missoula is a city, David Lynch says."),
    ("Eraserhead", "Eraserhead was filmed by David Lynch, too."),
    ("Alone", "Nothing is said here."),
]
NAMES = [(0, 1), (1, 2), (2, 1), (3, 1)]
QUESTION = "Who filmed Dune and Eraserhead?"
MADE = TitleActivation(Offline(model=None, spans=False), Hashed(), passages=2, threshold=0.0)


def activation(world, made, store):
    """The definition, taken literally."""
    cosine = (
        embed(made.encoder, world.passages, "passage", store)
        @ embed(made.encoder, world.questions, "question", store)[0]
    )
    gate = np.clip(cosine, 0, 1) if made.gate == "cosine" else np.ones(len(WORLD))
    near = np.lexsort((np.arange(len(WORLD)), -cosine))[: made.passages]
    active = {int(doc): float(max(0, cosine[doc])) for doc in near}
    edges = {
        "out": NAMES,
        "in": [(b, a) for a, b in NAMES],
        "both": [*NAMES, *((b, a) for a, b in NAMES)],
    }[made.direction]
    fired = set()
    for _ in range(made.steps):
        ready = {doc for doc, value in active.items() if value >= made.threshold} - fired
        after = dict(active)
        for start, end in dict.fromkeys(edges):
            if start in ready:
                after[end] = (
                    after.get(end, max(0.0, float(cosine[end])))
                    + made.decay * gate[end] * active[start]
                )
        active, fired = after, fired | ready
    return {f"d{doc}": value for doc, value in active.items()}


@pytest.mark.parametrize(
    "knobs",
    [
        {},
        {"steps": 0},
        {"steps": 3},
        {"gate": "none", "decay": 1.0, "steps": 3},
        {"direction": "in"},
        {"direction": "both", "steps": 3},
        {"threshold": 0.3, "steps": 3},
        {"passages": 5, "gate": "none"},
    ],
)
def test_activation_is_what_the_definition_says(knobs, benchmark_of, tmp_path):
    from dataclasses import replace

    made, store = replace(MADE, **knobs), Store(tmp_path)
    world = benchmark_of(WORLD, [QUESTION])
    found = made.retrieve(world, store)[0].to_dict()["q0"]
    assert found == pytest.approx(activation(world, made, store), abs=1e-6)
