"""Seeds by equation 2, worked by hand."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from harness.plugins.policyrag.policy.gate import FactCandidates
from harness.plugins.policyrag.policy.memory import TypedMemory, load_memory
from harness.plugins.policyrag.policy.seed import Seed

NONE = FactCandidates(*(np.empty(0, kind) for kind in (np.int64, np.int64, np.float64, np.bool_)))  # type: ignore[arg-type]
DUNE, LYNCH, MISSOULA, ROME, ALONE = range(5)


@pytest.fixture
def kept(graph: Any, world: Any, store: Any) -> TypedMemory:
    found = load_memory(graph, world, store)
    assert list(found.names) == ["dune", "david lynch", "missoula", "rome", "alone"]
    return found


def vectors(cosines: list[float]) -> tuple[Any, Any]:
    """Names whose cosines with the one question are these."""
    names = np.array([[c, np.sqrt(1 - c * c)] for c in cosines], dtype=np.float32)
    return names, np.array([[1, 0]], dtype=np.float32)


def named(values: dict[int, float]) -> sp.csr_array:
    return sp.csr_array((list(values.values()), ([0] * len(values), list(values))), shape=(1, 5))


def test_weights_are_align_times_specificity_times_alias(kept: TypedMemory) -> None:
    """david lynch is in two passages, dune in one: 1 x 1/2 and .5 x 1, so half each."""
    names, question = vectors([0.5, 0.2, 0, 0, 0])
    seeds = Seed(by="names", specificity=1).seeds(
        kept, named({DUNE: 0.4, LYNCH: 1.0}), NONE, names, question
    )
    assert seeds.entity.tolist() == [DUNE, LYNCH]
    np.testing.assert_allclose(seeds.align, [0.5, 1.0])
    np.testing.assert_allclose(seeds.spec, [1.0, 0.5])
    np.testing.assert_allclose(seeds.weight, [0.5, 0.5])


@pytest.mark.parametrize(
    ("align", "expected"), [("lexical", 0.4), ("embedding", 0.5), ("both", 0.5)]
)
def test_alignments(kept: TypedMemory, align: str, expected: float) -> None:
    names, question = vectors([0.5, 0, 0, 0, 0])
    seeds = Seed(by="names", align=align).seeds(kept, named({DUNE: 0.4}), NONE, names, question)
    np.testing.assert_allclose(seeds.align, [expected])


def test_phrases_of_facts_rank_by_the_mean_score_of_those_that_are_kept(kept: TypedMemory) -> None:
    """Facts: dune - lynch scores .9, lynch - missoula .5: dune .9, lynch .7, missoula .5; the first
    alone: .9.
    """
    names, question = vectors([0.1, 0.2, 0.3, 0, 0])
    both = FactCandidates(
        np.zeros(2, int), np.array([0, 1]), np.array([0.9, 0.5]), np.array([True, True])
    )
    seeds = Seed(cap=2).seeds(kept, named({ROME: 1.0}), both, names, question)
    assert seeds.entity.tolist() == [DUNE, LYNCH]
    np.testing.assert_allclose(seeds.mean, [0.9, 0.7])
    one = FactCandidates(both.question, both.fact, both.score, np.array([True, False]))
    seeds = Seed(cap=5).seeds(kept, named({ROME: 1.0}), one, names, question)
    assert sorted(seeds.entity.tolist()) == [DUNE, LYNCH]
    np.testing.assert_allclose(seeds.mean, [0.9, 0.9])
    none = FactCandidates(both.question, both.fact, both.score, np.array([False, False]))
    assert Seed().seeds(kept, named({ROME: 1.0}), none, names, question).entity.tolist() == [ROME]
    first = Seed(by="both", cap=2).seeds(kept, named({ROME: 1.0}), both, names, question)
    assert first.entity.tolist() == [ROME, DUNE]


def test_query_to_node_takes_the_nearest_names(kept: TypedMemory) -> None:
    names, question = vectors([0.1, 0.2, 0.3, 0.9, 0])
    seeds = Seed(by="question", cap=2, specificity=0).seeds(kept, named({}), NONE, names, question)
    assert seeds.entity.tolist() == [ROME, MISSOULA]
    np.testing.assert_allclose(seeds.weight, [0.75, 0.25], rtol=1e-6)


def test_broad_aliases_are_shown_and_weigh_nothing(
    titled: Callable[..., Any], graph: Any, store: Any
) -> None:
    two = [("Mercury (planet)", "It is hot."), ("Mercury (element)", "It is wet.")]
    kept = load_memory(graph, titled([*two, ("Rome", "A city.")], ["?"]), store)
    names, question = vectors([1.0, 1.0])
    both = sp.csr_array(np.array([[1.0, 1.0]]))
    seeds = Seed(by="names", alias_max=1).seeds(kept, both, NONE, names, question)
    order = np.argsort(seeds.entity)
    assert seeds.alias_ok[order].tolist() == seeds.weight[order].tolist() == [0.0, 1.0]
    free = Seed(by="names", alias_max=2).seeds(kept, both, NONE, names, question)
    assert free.weight[np.argsort(free.entity)].tolist() == [1 / 3, 2 / 3]


def test_restart_is_normalised_once() -> None:
    seed = Seed(passage_weight=0.25)
    phrases = sp.csr_array(np.array([[0.5, 0.5], [0, 0]]))
    close = sp.csr_array(np.array([[0.0, 1.0], [0.5, 0.5]]))
    found = seed.restart(phrases, close).toarray()
    np.testing.assert_allclose(found, [[0.4, 0.4, 0, 0.2], [0, 0, 0.5, 0.5]])
