"""Scores of items: those that other evaluations gave, without gold, and repeats of these
evaluations.
"""
