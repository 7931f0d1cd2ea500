"""Multi-hop retrieval harness: does fusing dense and graph evidence find more last hops, and would it again?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.fuser import fuse as fuse

__all__ = ["fuse"]


def __getattr__(name: str) -> Any:
    """``harness.fuse``, imported when it is first used: ``import harness`` alone loads neither torch nor pandas."""
    if name == "fuse":
        from harness.fuser import fuse

        return fuse
    raise AttributeError(f"module 'harness' has no attribute {name!r}")
