"""Benchmarks: corpora, questions, gold passages in hop order, and the tune/test split."""

from harness.benchmark.benchmark import OWN_DOCUMENT, UNORDERED, Benchmark
from harness.benchmark.load import load
from harness.benchmark.split import (
    MEANING,
    SPLITS,
    Split,
    Splitting,
    md5_split,
    read_splitting,
    say_unused,
    split_queries,
    splitting_name,
)

__all__ = [
    "MEANING",
    "OWN_DOCUMENT",
    "SPLITS",
    "UNORDERED",
    "Benchmark",
    "Split",
    "Splitting",
    "load",
    "md5_split",
    "read_splitting",
    "say_unused",
    "split_queries",
    "splitting_name",
]
