"""Walks published beside PageRank: beams, LinearRAG, spreading activation, convergence,
HippoRAG 2.
"""

NEEDS = ("llm", "mentions")
