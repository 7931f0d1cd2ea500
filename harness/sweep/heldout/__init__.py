"""Test, looked at once: the locked trials' scores, the ledger, other looks, families of experiments."""

from harness.sweep.heldout.locked_trials import heldout, locked, score

__all__ = ["heldout", "locked", "score"]
