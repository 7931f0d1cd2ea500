from harness.fusion.fuser.rrf_anchored import RrfAnchored


def test_only_documents_of_the_anchor_are_kept(scores, two_lists) -> None:
    assert scores(RrfAnchored(), two_lists) == {"a": 1 / 61 + 1 / 62, "b": 1 / 62}
    assert scores(RrfAnchored(list="graph"), two_lists) == {"a": 1 / 61 + 1 / 62, "c": 1 / 61}
