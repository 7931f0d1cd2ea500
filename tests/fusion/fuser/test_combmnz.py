from harness.fusion.fuser.combmnz import CombMnz


def test_the_sum_times_the_number_of_lists(scores, two_lists) -> None:
    assert scores(CombMnz(), two_lists) == {"a": 3.0, "c": 1.0, "b": 0.5}
