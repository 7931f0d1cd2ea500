"""Every triple store gives the same triples. A configuration is tested by existing."""

from collections.abc import Iterator

import numpy as np
import pytest

from harness.core.configuration.conf_files import names, strategy
from harness.core.errors import HarnessError
from harness.plugins.dice.triplestore import Expand, TripleTable

FACTS = TripleTable(
    ["a", "b", "c", "d", "lonely", 'quo"ted\\ é'],
    ["knows", "is"],
    np.array([0, 0, 1, 2, 3, 3, 5, 0]),
    np.array([0, 1, 0, 0, 1, 0, 1, 0]),
    np.array([1, 1, 2, 0, 3, 5, 0, 1]),
)
"""Two relations and a double between a and b, a self-loop at d, an entity without triples."""


@pytest.fixture(
    params=[(name, inward) for name in names("triplestore") for inward in (True, False)], ids=str
)
def store(request: pytest.FixtureRequest) -> Iterator[tuple[bool, Expand]]:
    name, inward = request.param
    try:
        with strategy("triplestore", name).open(FACTS, inward) as expand:
            yield inward, expand
    except HarnessError as error:
        if "extra `stores`" in str(error):
            pytest.skip(str(error))
        raise


def literally(seeds: list[int], inward: bool) -> list[int]:
    ends = zip(FACTS.subject.tolist(), FACTS.object.tolist(), strict=True)
    return [place for place, (s, o) in enumerate(ends) if s in seeds or (inward and o in seeds)]


def test_expansions(store: tuple[bool, Expand]) -> None:
    inward, expand = store
    for seeds in ([], [0], [1], [2, 0], [3], [4], [5], [0, 1, 2, 3, 4, 5]):
        found = expand(np.array(seeds, dtype=np.int64))
        assert found.tolist() == literally(seeds, inward)
        assert found.dtype == np.int64


@pytest.mark.parametrize("name", ["memory", "ladybug"])
def test_random_graphs(name: str) -> None:
    if name == "ladybug":
        pytest.importorskip("ladybug", reason="the extra `stores` is not installed")
    random = np.random.default_rng(0)
    subject, object_ = random.integers(0, 50, (2, 200))
    names_ = [f"e{n}" for n in range(50)]
    facts = TripleTable(names_, ["r"], subject, np.zeros(200, int), object_)
    with strategy("triplestore", name).open(facts, True) as expand:
        for _ in range(20):
            seeds = random.choice(50, 5, replace=False)
            ends = np.isin(facts.subject, seeds) | np.isin(facts.object, seeds)
            assert expand(seeds.astype(np.int64)).tolist() == np.flatnonzero(ends).tolist()


@pytest.mark.parametrize("name", names("triplestore"))
def test_an_empty_graph(name: str) -> None:
    if name == "ladybug":
        pytest.importorskip("ladybug", reason="the extra `stores` is not installed")
    nothing = np.empty(0, np.int64)
    empty = TripleTable([], [], nothing, nothing, nothing)
    with strategy("triplestore", name).open(empty, True) as expand:
        assert expand(nothing).tolist() == []


@pytest.mark.parametrize(
    ("name", "field", "bad"), [("ladybug", "memory", 1), ("ladybug", "threads", 0)]
)
def test_bounds(name: str, field: str, bad: int) -> None:
    with pytest.raises(HarnessError, match=rf"^triplestore\.{field}.*got {field}={bad}"):
        strategy("triplestore", name, **{field: bad})
