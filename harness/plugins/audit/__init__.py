"""Printed figures of the papers, recomputed from one another."""
