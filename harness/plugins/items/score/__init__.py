"""Scores of items that any evaluation gave, read from its files, and compared."""
