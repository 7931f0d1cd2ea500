"""Weighted RRF against convex combination (ADR)."""

NEEDS = ("dice",)  # its PostgreSQL server
