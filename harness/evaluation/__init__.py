"""Judging ranked lists: gold, metrics, statistics."""
