from harness.fusion.fuser.combsum import CombSum


def test_the_sum_of_percentile_ranks(scores, two_lists) -> None:
    assert scores(CombSum(), two_lists) == {"a": 1.5, "c": 1.0, "b": 0.5}
