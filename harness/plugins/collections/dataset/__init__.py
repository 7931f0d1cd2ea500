"""Its benchmarks."""
