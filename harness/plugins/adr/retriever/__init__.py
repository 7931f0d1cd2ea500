"""Retrievers: the lexical leg of the ADR."""
