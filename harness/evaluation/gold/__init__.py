"""Gold: the supporting passages of queries, and the files that hold them."""

from harness.evaluation.gold.gold import Gold, part_name, short_source

__all__ = ["Gold", "part_name", "short_source"]
