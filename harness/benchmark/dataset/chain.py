"""Which questions have a chain as their gold, so that they have a last hop in the strict sense."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.benchmark.dataset.records import Record
from harness.core.errors import HarnessError

Chain = str | Mapping[str, Sequence[str]]
"""``all``, ``none``, or for each field the values that mean a chain: ``{type: [compositional, inference]}``."""


def check_chain(name: str, chain: Chain) -> None:
    """Raise unless ``chain`` is a rule; ``name`` is the knob as it is typed."""
    if isinstance(chain, str) and chain in ("all", "none"):
        return
    lists = chain.values() if isinstance(chain, Mapping) else [None]
    if not all(isinstance(values, Sequence) and not isinstance(values, str) for values in lists):
        raise HarnessError(f"{name} must be all, none, or a mapping of a field to a list of values, got {chain!r}")


def is_chain(chain: Chain, query: Record) -> bool:
    """Whether the gold of this query is a chain."""
    if isinstance(chain, str):
        return chain == "all"
    return all(query.get(key) in values for key, values in chain.items())
