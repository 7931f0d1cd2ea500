"""Each fuser against its formula, written out for one document after another."""

import math
import statistics
from collections.abc import Callable

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

import harness
from harness.core.configuration.conf_files import names, strategy
from harness.core.errors import HarnessError
from harness.run import Run

Scores = dict[str, float]
Lists = dict[str, Scores]


def order(scores: Scores) -> list[str]:
    """Best first, ties by id."""
    return sorted(scores, key=lambda doc: (-scores[doc], doc))


def ranks_of(doc: str, lists: Lists) -> list[int]:
    """The document's rank in each list that contains it."""
    return [order(scores).index(doc) + 1 for scores in lists.values() if doc in scores]


def values_of(doc: str, lists: Lists) -> list[float]:
    return [scores[doc] for scores in lists.values() if doc in scores]


def pool_of(lists: Lists) -> list[str]:
    return sorted({doc for scores in lists.values() for doc in scores})


def borda(doc: str, lists: Lists) -> float:
    """The points that a list does not give to its own documents, shared by the others."""
    count = len(pool_of(lists))
    points = 0.0
    for scores in lists.values():
        given = {found: count - place for place, found in enumerate(order(scores))}
        left = sum(range(1, count + 1)) - sum(given.values())
        points += given[doc] if doc in given else left / (count - len(given))
    return points


def beats(lists: Lists) -> np.ndarray:
    """bool[U, U]: whether more lists have one before the other than the other way round."""
    places = [order(scores) for scores in lists.values()]
    ranks = [[own.index(doc) if doc in own else 99 for own in places] for doc in pool_of(lists)]
    table = np.array(ranks)
    before = (table[:, None] < table[None]).sum(axis=2)
    return np.asarray(before > before.T)


def condorcet(doc: str, lists: Lists) -> float:
    won, place = beats(lists), pool_of(lists).index(doc)
    return float(won[place].sum() - won[:, place].sum())


def inverse_squares(doc: str, lists: Lists) -> float:
    return sum(1 / rank**2 for rank in ranks_of(doc, lists))


FORMULAS: dict[str, Callable[[str, Lists], float]] = {
    "isr": lambda doc, lists: inverse_squares(doc, lists) * len(ranks_of(doc, lists)),
    "log_isr": lambda doc, lists: inverse_squares(doc, lists) * math.log(len(ranks_of(doc, lists))),
    "logn_isr": lambda doc, lists: (
        inverse_squares(doc, lists) * math.log(len(ranks_of(doc, lists)) + 0.01)
    ),
    "rbc": lambda doc, lists: sum(0.1 * 0.9 ** (rank - 1) for rank in ranks_of(doc, lists)),
    "borda": borda,
    "condorcet": condorcet,
    "combanz": lambda doc, lists: statistics.mean(values_of(doc, lists)),
    "combmed": lambda doc, lists: statistics.median(values_of(doc, lists)),
    "combgmnz": lambda doc, lists: sum(values_of(doc, lists)) * len(values_of(doc, lists)) ** 0.5,
}


def fused(questions: dict[str, Lists], fuser: str, **knobs: float) -> dict[str, Scores]:
    systems = {
        name: Run.from_dict({query: lists[name] for query, lists in questions.items()})
        for name in ("dense", "graph", "bm25")
    }
    reads = {"normalizer": "none"} if fuser.startswith("comb") else {}
    return harness.fuse(systems, fuser, **reads, **knobs).to_dict()


@pytest.mark.parametrize("name", FORMULAS)
def test_formula(name: str, questions: dict[str, Lists]) -> None:
    found = fused(questions, name)
    for query, lists in questions.items():
        expected = {doc: FORMULAS[name](doc, lists) for doc in pool_of(lists)}
        assert found[query] == pytest.approx(expected, rel=0, abs=1e-12)


def test_documents_of_one_list_keep_its_order_though_their_logarithm_is_0(scores) -> None:
    lists = {"dense": {"b": 0.9, "a": 0.5, "both": 0.25}, "graph": {"both": 0.1}}
    assert list(scores(strategy("fuser", "log_isr"), lists)) == ["both", "b", "a"]


def test_condorcet_puts_a_cycle_of_majorities_before_all_that_lose_to_it(
    questions: dict[str, Lists],
) -> None:
    """A component of the graph "is not beaten by" comes after those whose documents beat it all."""
    cycles = 0
    for query, found in fused(questions, "condorcet").items():
        pool, won = pool_of(questions[query]), beats(questions[query])
        _, part = connected_components(csr_array(~won.T), directed=True, connection="strong")
        cycles += max(np.bincount(part)) > 1
        for one, other in np.argwhere(won & (part[:, None] != part[None])):
            assert found[pool[one]] > found[pool[other]]
    assert cycles > 100


@pytest.mark.parametrize(
    ("alias", "name"),
    [("bordafuse", "borda"), ("anz", "combanz"), ("med", "combmed"), ("gmnz", "combgmnz")],
)
def test_names_of_ranx_are_the_same_fusers(alias: str, name: str) -> None:
    assert strategy("fuser", alias) == strategy("fuser", name)
    assert {alias, name} <= {*names("fuser")}


def test_gamma_goes_from_combsum_to_combmnz(questions: dict[str, Lists]) -> None:
    for gamma, name in ((0, "combsum"), (1, "combmnz")):
        same, other = fused(questions, "combgmnz", gamma=gamma), fused(questions, name)
        for query, found in other.items():
            assert same[query] == pytest.approx(found, rel=1e-14)


@pytest.mark.parametrize(
    ("fuser", "knob", "value"),
    [("rbc", "phi", 0), ("rbc", "phi", 1), ("logn_isr", "sigma", 1.5), ("combgmnz", "gamma", -1)],
)
def test_bounds(fuser: str, knob: str, value: float) -> None:
    with pytest.raises(HarnessError, match=rf"^fuser\.{knob} must be in .* got {knob}={value}"):
        strategy("fuser", fuser, **{knob: value})
