"""Scoring: a grid expanded into trials, their lists, and their gold ranks."""
