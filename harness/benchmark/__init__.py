"""Benchmarks: corpora, questions, gold passages in hop order, and the tune/test split."""

from harness.benchmark.benchmark import SPLITS, SPLITTINGS, UNORDERED, Benchmark, Split, md5_split, of_split
from harness.benchmark.load import load

__all__ = ["SPLITS", "SPLITTINGS", "UNORDERED", "Benchmark", "Split", "load", "md5_split", "of_split"]
