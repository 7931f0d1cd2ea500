"""Encoders of PolicyRAG's baselines, with the prompts and the pooling that their authors
publish.
"""
