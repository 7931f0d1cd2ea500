"""Room that is missing is told before HippoRAG's cosines take it."""

import numpy as np
import pytest

from harness.core import resources
from harness.core.errors import HarnessError
from harness.plugins.walks.retriever.hipporag import spread_cosines


def test_memory_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "SMALL", 0)
    monkeypatch.setattr(resources, "available_memory", lambda: 10)
    vectors = np.eye(8, dtype=np.float32)
    with pytest.raises(HarnessError, match=r"8 questions.*8 passages"):
        spread_cosines(vectors, vectors)
