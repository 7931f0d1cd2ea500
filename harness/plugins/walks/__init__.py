"""Walks published beside PageRank: PropRAG's beam, LinearRAG, spreading activation, convergence,
HippoRAG 2, BM25 in two steps.
"""

NEEDS = ("llm", "mentions")
