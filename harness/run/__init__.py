"""Runs: ranked lists as arrays, from files of any system and back."""

from harness.run.run import Run

__all__ = ["Run"]
