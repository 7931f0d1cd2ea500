"""Rerankers that read what joins passages."""
