"""Sources of benchmarks: files, cards, hubs and locks, and the way from records to a corpus and
gold.
"""
