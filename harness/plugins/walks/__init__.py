"""Walks published beside PageRank: PropRAG's beam, LinearRAG, HippoRAG 2, and a second BM25 step."""

NEEDS = ("llm", "mentions")
