"""What tests of sweeps share."""

import pytest


@pytest.fixture(autouse=True)
def _no_garbage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Statsmodels collects garbage at each call, which takes longer than its computation."""
    monkeypatch.setattr("gc.collect", lambda: 0)
