"""Recognising entities: spaCy's pipeline, its recogniser computed in larger products, texts in
shards.
"""
