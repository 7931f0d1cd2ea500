"""Run exchange: submissions and boards of them, and benchmarks as plain files with a Croissant description."""
