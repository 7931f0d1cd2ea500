"""Means of walks against walks of their own; which seeds walk; blocks."""

from dataclasses import replace

import numpy as np
import pytest

from harness.graph.entity import Entity
from harness.graph.extractor.offline import Offline
from harness.model.encoder.hashed import Hashed
from harness.plugins.walks.retriever.convergence import Convergence
from harness.retriever.ppr import PPR
from harness.work.store import Store

WORLD = [
    ("Dune (film)", "Dune was filmed by David Lynch."),
    ("David Lynch", "David Lynch grew up in Missoula."),
    ("Missoula", "Missoula is a city with a river, near Rome."),
    ("Rome", "Rome is a city with a river, too. David Lynch left it."),
    ("Alone", "Nothing is said here."),
]
QUESTIONS = ["Did David Lynch leave Rome?", "nothing at all", "Is Missoula near Dune or Rome?"]
PPR_ = PPR(Entity(Offline(model=None, spans=False), Hashed(), synonym=None), Hashed(), passages=2)
FLOOR = 1e-5


@pytest.fixture
def world(benchmark_of):
    return benchmark_of(WORLD, QUESTIONS)


@pytest.mark.parametrize(("seeds", "together"), [(5, 1.0), (5, 0.0), (1, 2.0), (0, 1.0)])
def test_the_score_is_the_geometric_mean_of_walks_solved_one_by_one(
    seeds, together, world, tmp_path
):
    store = Store(tmp_path)
    found = Convergence(PPR_, seeds, together, FLOOR).retrieve(world, store)[0].to_dict()
    network, _, restart, _ = PPR_.start(world, store)
    first = len(network.names)
    step = PPR_.walk.transition(network).toarray()
    dangling = step.sum(axis=1) == 0
    for number, row in enumerate(restart.toarray()):
        nodes = sorted(np.flatnonzero(row[:first]), key=lambda node: (-row[node], node))[:seeds]
        starts = [(1.0, np.eye(len(row))[node]) for node in nodes]
        if together and row[first:].any():
            alone = np.where(np.arange(len(row)) < first, 0, row)
            starts.append((together, alone / alone.sum()))
        expected = {}
        if starts:
            logs = np.zeros(len(WORLD))
            for weight, start in starts:
                whole = 0.5 * (step + np.outer(dangling, start)).T
                walk = np.linalg.solve(np.eye(len(row)) - whole, 0.5 * start)
                logs += weight * np.log(FLOOR + walk[first:])
            scores = np.exp(logs / sum(weight for weight, _ in starts))
            expected = {f"d{doc}": score for doc, score in enumerate(scores) if score >= 2 * FLOOR}
        assert found[f"q{number}"] == pytest.approx(expected, abs=2e-6)


def test_what_all_seeds_lead_to_is_before_what_one_leads_to_strongly(world, tmp_path):
    store = Store(tmp_path)
    ppr = replace(PPR_, passages=0, passage_weight=0)
    converging = Convergence(ppr).retrieve(world, store)[0].to_dict()["q0"]
    assert "d4" not in converging
    assert set(converging) <= {"d0", "d1", "d2", "d3"}


def test_blocks_change_no_bit(world, tmp_path):
    store = Store(tmp_path)
    whole = Convergence(PPR_).retrieve(world, store)[0]
    for block in (1, 2, 3):
        part = Convergence(replace(PPR_, block=block)).retrieve(world, store)[0]
        assert np.array_equal(part.docs, whole.docs)
        assert part.scores.tobytes() == whole.scores.tobytes()
