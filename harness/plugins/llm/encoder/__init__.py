"""Embeddings by an endpoint."""
