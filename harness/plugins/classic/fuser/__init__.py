"""Fusers of the literature that need no training."""
