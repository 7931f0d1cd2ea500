"""The Dice-Sorensen hybrid: triples, their stores, vector stores, and its benchmarks."""

NEEDS = ("mentions",)
