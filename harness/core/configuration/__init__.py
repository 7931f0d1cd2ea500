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

__all__ = [
    "allow_knobs",
    "check_groups",
    "compose",
    "defaults",
    "instantiate",
    "names",
    "strategy",
    "translate_errors",
]
