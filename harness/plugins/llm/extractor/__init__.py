"""Entities and triples by a language model, asked here or published."""
