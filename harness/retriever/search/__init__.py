"""Nearest vectors: exact search, FAISS indexes, linking questions to names."""
