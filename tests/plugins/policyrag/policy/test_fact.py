"""Facts as they are stored."""

from pathlib import Path

import numpy as np

from harness.plugins.policyrag.policy.fact import Facts

FACTS = {
    "subject": np.array([0, 1], np.int32),
    "indptr": np.array([0, 1, 3], np.int64),
    "object": np.array([1, 0, 2], np.int32),
    "passage": np.array([0, 1], np.int32),
    "start": np.array([0, 0], np.int32),
    "end": np.array([5, 6], np.int32),
    "words": np.array([2, 2], np.int64),
}


def test_facts_are_read_as_they_were_written(tmp_path: Path) -> None:
    facts = Facts(**FACTS, stated=[("a", "b", "c"), ("d", "e", "f")])
    facts.save(tmp_path)
    found = Facts.load(tmp_path)
    for name, array in FACTS.items():
        assert np.array_equal(getattr(found, name), array)
        assert not getattr(found, name).flags.writeable
    assert found.stated == facts.stated
