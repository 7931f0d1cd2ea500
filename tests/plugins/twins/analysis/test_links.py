"""Links of six passages, counted by hand.

Title links 0-1, 1-2, 3-2; shared names: David Lynch 0-1, Missoula 1-3, Ann Smith 4-5.
"""

from dataclasses import replace

import numpy as np
import pytest

from harness.benchmark import Texts
from harness.core.errors import HarnessError
from harness.plugins.twins.analysis.links import describe_links, find_links, join_gold, start_from_questions

WORLD = {
    "Dune (film)": "Dune was filmed by David Lynch.",
    "David Lynch": "David Lynch grew up in Missoula.",
    "Missoula": "A city with a river.",
    "Rome": "A city that Missoula is unlike.",
    "Kyle": "He met Ann Smith.",
    "Eve": "She met Ann Smith.",
}
TEXTS = Texts(
    "world",
    list(WORLD),
    list(WORLD.values()),
    query_ids=["one", "two", "three"],
    questions=["Where did the director of Dune grow up?", "Who met the same woman?", "Is Rome like Dune?"],
    hops=[3, 2, 2],
    given=[None] * 3,
    gold=np.array([[0, 1, 2], [4, 5, -1], [0, 3, -1]], np.int32),
    chain=np.array([True, True, True]),
    ordered=np.array([True, True, True]),
)


def edges(matrix: object) -> set[tuple[int, int]]:
    rows, columns = matrix.nonzero()  # type: ignore[attr-defined]
    return set(zip(rows.tolist(), columns.tolist(), strict=True))


def both(*pairs: tuple[int, int]) -> set[tuple[int, int]]:
    return {*pairs, *((b, a) for a, b in pairs)}


def test_links_are_those_of_the_texts() -> None:
    links = find_links(TEXTS, 10)
    assert edges(links.title) == both((0, 1), (1, 2), (2, 3))
    assert edges(links.shared) == both((0, 1), (1, 3), (4, 5))
    assert edges(links.starts) == {(0, 0), (2, 0), (2, 3)}


def test_a_name_that_too_many_share_links_nothing() -> None:
    """David Lynch and Missoula are mentioned by two passages each, Ann Smith by three."""
    more = replace(TEXTS, titles=[*WORLD, "Zoe"], texts=[*WORLD.values(), "It is Ann Smith."])
    assert edges(find_links(more, 2).shared) == both((0, 1), (1, 3))
    assert edges(find_links(more, 3).shared) == both((0, 1), (1, 3), (4, 5), (4, 6), (5, 6))


def test_gold_pairs_that_are_joined() -> None:
    """Pairs 0-1, 1-2 (three hops), 4-5, 0-3 (two). By title the seven gold passages lead to 1, 2, 2, 0, 0, 1, 1 others,
    of which 1, 2, 1, 0, 0, 0, 0 are gold of the same question.
    """
    found = join_gold(find_links(TEXTS, 10), TEXTS)
    assert found is not None
    assert (found["questions"], found["pairs"], found["by_hops"]) == (3, 4, {2: 2, 3: 1})
    title, shared, either, two = found["ways"].values()
    assert (title["joined"], title["by_hops"]) == (2 / 4, {2: 0, 3: 1})
    assert (shared["joined"], shared["by_hops"]) == (2 / 4, {2: 1 / 2, 3: 1 / 2})
    assert (either["joined"], two["joined"]) == (3 / 4, 1)
    assert title["reached"] == {"median": 1, "p90": 2}
    assert title["precision"] == pytest.approx(4 / 7)
    assert two["reached"]["median"] == 3  # all of 0, 1, 2, 3 lead to each other


def test_what_lies_near_the_titles_that_questions_name() -> None:
    """From Dune (0): 1, then 2 and 3, the last hop 2 after two steps. From Dune and Rome (0, 3), the last hop 3 at
    once: 1 and 2. The second question names none. Reached 1, 0, 2; 2, 0, 4; 4, 0, 4, of which gold 3, 4, 5.
    """
    found = start_from_questions(find_links(TEXTS, 10), TEXTS)
    assert found is not None
    assert (found["questions"], found["names_gold"], found["names_any"]) == (3, 2 / 3, 2 / 3)
    assert [one["last"] for one in found["steps"].values()] == [1 / 3, 0, 1 / 3]
    assert [one["reached"]["median"] for one in found["steps"].values()] == [1, 2, 4]
    assert [one["precision"] for one in found["steps"].values()] == pytest.approx([1, 4 / 6, 5 / 8])


def test_without_a_last_hop_nothing_is_said_of_it() -> None:
    texts = replace(TEXTS, ordered=np.zeros(3, np.bool_))
    found = start_from_questions(find_links(texts, 10), texts)
    assert found is not None
    assert [one["last"] for one in found["steps"].values()] == [None] * 3


def test_without_an_order_all_pairs_count() -> None:
    """0-2 is a pair then, too: of 0-1, 1-2, 0-2 titles join two."""
    unordered = replace(TEXTS, chain=np.array([False, True, True]))
    found = join_gold(find_links(TEXTS, 10), unordered)
    assert found is not None
    assert found["pairs"] == 5
    assert found["ways"]["title"]["by_hops"][3] == pytest.approx(2 / 3)


def test_the_graph_without_gold() -> None:
    """Passages 0 to 3 are joined, 4 and 5 are; another Dune shares its title and has no link of its own."""
    found = describe_links(find_links(replace(TEXTS, titles=[*WORLD, "Dune"], texts=[*WORLD.values(), "A hill."]), 10))
    assert (found["passages"], found["without_title"], found["ambiguous_titles"]) == (7, 0, 2)
    title, either = found["links"]["title"], found["links"]["either"]
    assert title["linked"] == pytest.approx(5 / 7)  # 0 names its own title, which is the other Dune's, too
    assert (title["most"], title["component"]) == (2, pytest.approx(5 / 7))
    assert either["linked"] == 1


@pytest.mark.parametrize(
    ("titles", "texts", "rare", "words"),
    [
        ([], [], 10, "world: the corpus is empty"),
        (["", ""], ["a", "b"], 10, "world: none of 2 passages has a title"),
        (["a"], ["b"], 1, r"rare must be in \[2, inf\)"),
    ],
)
def test_what_is_refused(titles: list[str], texts: list[str], rare: int, words: str) -> None:
    with pytest.raises(HarnessError, match=words):
        find_links(Texts("world", titles, texts), rare)


def test_nothing_to_join() -> None:
    links = find_links(TEXTS, 10)
    assert join_gold(links, replace(TEXTS, gold=None, chain=None)) is None
    assert join_gold(links, replace(TEXTS, gold=np.array([[0], [4], [3]], np.int32))) is None
