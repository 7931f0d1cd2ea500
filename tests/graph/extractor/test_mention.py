from hypothesis import given
from hypothesis import strategies as st

from harness.graph.extractor.mention import Places

PLACE = st.tuples(st.integers(0, 20), st.integers(1, 8)).map(lambda pair: (pair[0], sum(pair)))


@given(st.lists(PLACE), PLACE)
def test_those_that_share_a_character(
    places: list[tuple[int, int]], asked: tuple[int, int]
) -> None:
    wanted = [place for place in places if set(range(*place)) & set(range(*asked))]
    assert sorted(Places(places).touching(*asked)) == sorted(wanted)
