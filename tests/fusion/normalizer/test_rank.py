from harness.fusion.normalizer.rank import Rank


def test_places_by_hand_ties_by_document(scores) -> None:
    lists = {"dense": {"a": 9, "c": 1, "b": 1, "d": 0}}
    assert scores("combsum", lists, Rank()) == {"a": 1, "b": 0.75, "c": 0.5, "d": 0.25}
