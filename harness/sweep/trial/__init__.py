"""What is scored: a grid expanded into trials, the lists they stand on, and their gold ranks."""

from harness.sweep.trial.trial import BESIDE, GROUPS, PoolSpec, Trial, list_names, other_anchor, reference_of

__all__ = ["BESIDE", "GROUPS", "PoolSpec", "Trial", "list_names", "other_anchor", "reference_of"]
