"""Datasets that only a sweep uses."""

from harness.sweep.dataset.own_runs import use_gold

__all__ = ["use_gold"]
