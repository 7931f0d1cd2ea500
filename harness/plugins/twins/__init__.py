"""Twins of a benchmark, what links its gold passages, and what gold ranks cannot say of a list."""
