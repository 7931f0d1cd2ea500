"""Personalized PageRank."""
