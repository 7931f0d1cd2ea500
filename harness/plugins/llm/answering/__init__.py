"""Answers from what runs retrieved, and what they score."""
