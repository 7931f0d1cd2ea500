"""Gold: the supporting passages of queries, and the files that hold them."""

from harness.evaluation.gold.gold import Gold, Judgements, part_name, refuse_gold, short_source

__all__ = ["Gold", "Judgements", "part_name", "refuse_gold", "short_source"]
