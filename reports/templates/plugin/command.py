"""Say how often a word is asked for. Replace this by what your command does.

  harness NAME                      once
  harness NAME word=graph times=3   three times

Below the examples stands what else must be known.
"""

from __future__ import annotations

from omegaconf import DictConfig

from harness.core.errors import whole_number


def run(config: DictConfig) -> None:
    """Print it."""
    whole_number("times", config.times, 1)
    print(*[config.word] * config.times)
