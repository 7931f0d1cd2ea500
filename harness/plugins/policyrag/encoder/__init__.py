"""Encoders of PolicyRAG's baselines, as their cards say."""
