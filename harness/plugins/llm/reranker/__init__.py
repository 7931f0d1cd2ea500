"""Reranking by the likelihood of the question under a language model."""
