"""Answers from retrieved passages, and their scores."""
