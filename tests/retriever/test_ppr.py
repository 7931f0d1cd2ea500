"""The retriever as a whole, on a world of a few titles, with the encoder that needs no model."""

import os
from dataclasses import replace
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.benchmark import Benchmark
from harness.core.errors import HarnessError
from harness.graph.entity import Entity
from harness.graph.extractor.offline import Offline
from harness.model.encoder.hashed import Hashed
from harness.retriever import retrieve
from harness.retriever.ppr import NO_ENTITY, PPR
from harness.retriever.walk import Walk
from harness.run import Run
from harness.testing.lists import assert_equal
from harness.work.store import Store
from tests.world.few import few as made

WORLD = {
    "Dune (film)": "Dune was filmed by David Lynch.",
    "David Lynch": "David Lynch grew up in Missoula.",
    "Missoula": "Missoula is a city with a river.",
    "Rome": "Rome is a city with a river, too.",
    "Alone": "Nothing is said here.",
}
TITLES = Entity(Offline(model=None, spans=False), Hashed(), synonym=None)
ONWARD = Walk(title=1, entity=0, span=0, back=0, synonym=0, relation=0, specificity=0)


def few(questions: list[str], world: dict[str, str] = WORLD) -> Benchmark:
    return made(world, questions, ascii_lowercase[: len(world)])


def test_chain_of_titles_worked_by_hand(tmp_path: Path) -> None:
    """dune -> a -> david lynch -> b -> missoula -> c, which dangles: with a = 1/2 each has half of
    the one before.

    s = dune; x = (1 + m) / 2, a = x/2, lynch = x/4, b = x/8, missoula = x/16, c = m = x/32: x =
    32/63.
    """
    benchmark = few(["Where did the director of Dune grow up?"])
    ppr = PPR(TITLES, Hashed(), walk=ONWARD, passage_weight=0, passages=0, link=None)
    lists = retrieve(ppr, benchmark, Store(tmp_path)).to_dict()["q0"]
    assert list(lists) == ["a", "b", "c"]
    np.testing.assert_allclose(list(lists.values()), [16 / 63, 4 / 63, 1 / 63], atol=1e-6)


def test_seeds_lean_on_passages_when_the_question_names_nothing(tmp_path: Path) -> None:
    benchmark = few(["what grows up where", "Is Rome older than Missoula?"])
    ppr = PPR(TITLES, Hashed(), walk=ONWARD, passage_weight=0.1, passages=2)
    run, facts = ppr.retrieve(benchmark, Store(tmp_path))
    assert facts["odd"] == {NO_ENTITY: 1}
    assert run.lengths()[0] >= 2
    assert set(list(run.to_dict()["q1"])[:2]) == {"c", "d"}


def test_lists_are_in_the_one_order(tmp_path: Path) -> None:
    """Two cities named once each have one score: the smaller document number comes first."""
    benchmark = few(["Missoula or Rome?"])
    ppr = PPR(TITLES, Hashed(), walk=ONWARD, passage_weight=0, passages=0)
    run = retrieve(ppr, benchmark, Store(tmp_path))
    missoula, rome = list(run.to_dict()["q0"].items())
    assert (missoula[0], rome[0]) == ("c", "d")
    assert missoula[1] == rome[1]


def test_threads_and_blocks_change_no_byte(tmp_path: Path) -> None:
    benchmark = few([f"What is {title} to {other}?" for title in WORLD for other in WORLD])
    base = PPR(TITLES, Hashed())
    one, _ = base.retrieve(benchmark, Store(tmp_path))
    for threads, block in [(1, 64), (2, 3), (2, 64)]:
        again, _ = replace(base, threads=threads, block=block).retrieve(benchmark, Store(tmp_path))
        assert again.docs.tobytes() == one.docs.tobytes()
        assert again.scores.tobytes() == one.scores.tobytes()


NAMED = ["Dune", "David Lynch", "David Lynchs", "Lynchs of Missoula", "Misoula River", "Rome"]
ASKED = [f"what is {one} to {other}?" for one in NAMED for other in NAMED[::2]]
SIMILAR = PPR(Entity(Offline(model=None), Hashed(), synonym=0.5), Hashed(), link=0.3)


@pytest.fixture(scope="module")
def of_all(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, Run]:
    """Names that only questions have would join passages, if they were nodes."""
    store = Store(tmp_path_factory.mktemp("questions"))
    run, facts = SIMILAR.retrieve(few(ASKED), store)
    assert facts["linked_lexically"]
    assert facts["linked_by_embedding"]
    return store, run


@given(chosen=st.sets(st.integers(0, len(ASKED) - 1), min_size=1, max_size=4))
@settings(max_examples=12, deadline=None)
def test_any_subset_of_the_questions_gets_the_lists_of_the_whole(
    of_all: tuple[Store, Run], chosen: set[int]
) -> None:
    store, whole = of_all
    benchmark, rows = few(ASKED), sorted(chosen, key=lambda row: (row % 5, row))
    run, _ = SIMILAR.retrieve(benchmark.asked({f"q{row}": ASKED[row] for row in rows}), store)
    assert_equal(run, whole.take(np.array(rows)), "asked with fewer questions")
    for stage in ("extract", "graph"):
        assert len(list((store.root / "artifacts" / stage).glob("*/manifest.json"))) == 1


def test_facts_say_what_was_linked_and_how_it_converged(tmp_path: Path) -> None:
    _, facts = PPR(TITLES, Hashed()).retrieve(few(["Is Rome in Missoula?", "?"]), Store(tmp_path))
    assert facts["linked_lexically"] == 2
    assert facts["not_converged"] == 0
    assert facts["largest_change"] < 1e-6
    assert 1 <= facts["iterations"]["max"] <= 200


def test_steps_that_ran_out_are_counted(tmp_path: Path) -> None:
    """Nine cities of which each names three others: no node has few enough neighbours to be
    eliminated.
    """
    cities = ["Oslo", "Turku", "Paris", "Rome", "Bern", "Lima", "Quito", "Cairo", "Delhi"]
    world = {
        city: " and ".join(cities[(i + k) % 9] for k in (1, 2, 4)) + "."
        for i, city in enumerate(cities)
    }
    asked = few(["Where is Oslo?"], world)
    _, facts = PPR(TITLES, Hashed(), max_iter=2).retrieve(asked, Store(tmp_path))
    assert facts["not_converged"] == 1
    _, facts = PPR(TITLES, Hashed()).retrieve(asked, Store(tmp_path))
    assert facts["not_converged"] == 0
    assert facts["iterations"]["max"] > 2


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        ("restart", 0),
        ("restart", 1.1),
        ("passage_weight", -1),
        ("sharpness", 0),
        ("tolerance", 0),
        ("max_iter", 0),
        ("link", 2),
    ],
)
def test_bounds(field: str, bad: Any) -> None:
    with pytest.raises(HarnessError, match=rf"lists\.NAME\.{field}.*got {field}={bad}"):
        PPR(TITLES, Hashed(), **{field: bad})


@pytest.mark.skipif(
    "HARNESS_DATA" not in os.environ, reason="HARNESS_DATA is not set: no real benchmark to walk on"
)
@pytest.mark.slow
def test_titles_alone_find_most_last_hops_of_2wiki(tmp_path: Path) -> None:
    """Names alone, no model at all: at least .80 of the tune questions, where the encoder's list
    alone has .32.
    """
    from harness.benchmark import load

    benchmark = load("2wikimultihopqa", runs=tmp_path)
    ppr = PPR(TITLES, Hashed(), passage_weight=0, passages=0, link=None)
    run = retrieve(ppr, benchmark, Store(tmp_path)).take(benchmark.split == "tune").top(5)
    last = benchmark.gold[np.arange(len(benchmark.gold)), (benchmark.gold >= 0).sum(axis=1) - 1]
    wanted = np.repeat(last[benchmark.split == "tune"], run.lengths())
    assert (run.docs == wanted).sum() / len(run) >= 0.80
