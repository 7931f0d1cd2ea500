"""Artifacts for those who only look: nothing is built."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.core.artifact import Artifact
from harness.core.errors import HarnessError
from harness.work.store import Store


class NotStored(HarnessError):
    """An artifact that would have to be built."""


@dataclass(frozen=True)
class ReadOnlyStore(Store):
    """A store that builds nothing."""

    def get(
        self,
        stage: str,
        config: Mapping[str, Any],
        inputs: Mapping[str, str],
        build: Callable[..., Any],
        *,
        resumable: bool = False,
        fill: Callable[[Path], object] | None = None,
        together: Callable[[Path], object] | None = None,
        what: str = "",
    ) -> Artifact:
        """The artifact. Raises NotStored where it is not there."""
        found = self.find(stage, config, inputs)
        if found is None:
            raise NotStored(f"{stage}: not stored")
        return found
