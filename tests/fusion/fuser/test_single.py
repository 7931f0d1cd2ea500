import pytest

from harness.core.errors import HarnessError
from harness.fusion.fuser.single import Single


def test_the_scores_of_one_list_alone(scores, two_lists) -> None:
    assert scores(Single(), two_lists) == {"a": 0.9, "b": 0.5}
    assert scores(Single("graph"), two_lists) == {"c": 0.03, "a": 0.01}


def test_a_list_that_is_not_there(scores, two_lists) -> None:
    with pytest.raises(HarnessError, match=r"'bm25'"):
        scores(Single("bm25"), two_lists)
