"""A paper's tables and figures: strategies by benchmarks in one table, and everything else in an appendix."""
