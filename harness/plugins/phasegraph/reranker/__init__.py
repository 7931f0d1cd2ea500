"""The rerankers of this paper."""
