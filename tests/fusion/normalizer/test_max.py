from harness.fusion.normalizer.max import Max


def test_share_of_the_greatest(scores) -> None:
    assert scores("combsum", {"dense": {"a": 4, "b": 1, "c": -1}}, Max()) == {
        "a": 1,
        "b": 0.25,
        "c": 0,
    }


def test_zero_everywhere_when_no_score_is_positive(scores) -> None:
    assert scores("combsum", {"dense": {"a": 0, "b": -1}}, Max()) == {"a": 0, "b": 0}
