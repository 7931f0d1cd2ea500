from harness.fusion.normalizer.none import Raw


def test_scores_as_they_are(scores) -> None:
    assert scores("combsum", {"dense": {"a": 3, "b": -0.5}, "graph": {"b": 1}}, Raw()) == {
        "a": 3,
        "b": 0.5,
    }
