"""The small models of the core's rerankers."""

from tests.fusion.reranker.conftest import classifier, readable

__all__ = ["classifier", "readable"]
