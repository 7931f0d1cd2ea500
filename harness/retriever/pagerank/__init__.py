"""Personalized PageRank and the paths behind it."""
