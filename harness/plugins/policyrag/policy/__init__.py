"""The policy of PolicyRAG: how seeds are found, gated, walked from, projected to passages and
reranked.
"""
