"""Fusers of the literature that need no training, and the normalizer DBSF."""
