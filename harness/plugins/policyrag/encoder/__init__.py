"""Encoders of PolicyRAG's baselines that plain sentence-transformers settings do not describe."""
