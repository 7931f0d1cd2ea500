"""Walks and paths over what passages mention, and retrievers under fitted weights."""
