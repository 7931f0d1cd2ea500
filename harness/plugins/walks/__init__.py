"""Walks published beside PageRank: PropRAG's beam, LinearRAG, HippoRAG 2, BM25 in two steps."""

NEEDS = ("llm", "mentions")
