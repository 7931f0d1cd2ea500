"""What the tests of endpoints share."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def no_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client reads all certificates of the machine in 40 ms; endpoints of tests need none."""
    monkeypatch.setenv("SSL_CERT_DIR", str(Path(__file__).parent))
