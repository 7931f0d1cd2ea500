"""Hydra's and OmegaConf's errors about a configuration, each as one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from harness.core.configuration.choices import unknown
from harness.core.errors import HarnessError


@contextmanager
def translate_errors() -> Iterator[None]:
    """A block in which Hydra's and OmegaConf's errors become one HarnessError each."""
    from omegaconf.errors import OmegaConfBaseException

    try:
        yield
    except Exception as error:
        by_hydra = type(error).__module__ == "hydra.errors"
        if not by_hydra and not isinstance(error, OmegaConfBaseException):
            raise
        if missing := getattr(error, "missing_cfg_file", None):
            concept, _, name = str(missing).rpartition("/")
            known = [str(one) for one in getattr(error, "options", None) or ()]
            raise unknown(concept or "config", name, known) from error
        lines = [str(each).strip().partition("\n")[0] for each in (error, error.__cause__) if each]
        interpolated = "Interpolation key" in str(error)
        mend = r"; where the text ${...} is meant, write \${...}" if interpolated else ""
        told = "; ".join(dict.fromkeys(filter(None, lines)))
        raise HarnessError(f"configuration: {told}{mend}") from error
