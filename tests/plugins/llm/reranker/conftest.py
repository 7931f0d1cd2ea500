"""The small models of the core's rerankers."""

from tests.fusion.reranker.conftest import classifier, language_model, readable

__all__ = ["classifier", "language_model", "readable"]
