from harness.fusion.normalizer.minmax import MinMax


def test_from_the_least_to_the_greatest(scores) -> None:
    assert scores("combsum", {"dense": {"a": 5, "b": 2, "c": 1}}, MinMax()) == {
        "a": 1,
        "b": 0.25,
        "c": 0,
    }


def test_a_constant_list_has_one_everywhere(scores) -> None:
    assert scores("combsum", {"dense": {"a": -2, "b": -2}}, MinMax()) == {"a": 1, "b": 1}
