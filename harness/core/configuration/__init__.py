"""From configuration to strategies: where conf/ is, composing it, and instantiating what it names."""

from harness.core.configuration.composition import (
    allow_knobs,
    check_groups,
    compose,
    defaults,
    instantiate,
    names,
    strategy,
    translate_errors,
)
from harness.core.configuration.stored import REACHES, StoredReader, by_name

__all__ = [
    "REACHES",
    "StoredReader",
    "allow_knobs",
    "by_name",
    "check_groups",
    "compose",
    "defaults",
    "instantiate",
    "names",
    "strategy",
    "translate_errors",
]
