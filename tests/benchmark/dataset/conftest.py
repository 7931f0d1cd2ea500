"""What all tests of datasets share."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.work.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "runs")
