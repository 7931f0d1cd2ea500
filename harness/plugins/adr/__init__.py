"""Weighted RRF against convex combination (ADR)."""
