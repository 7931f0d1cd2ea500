"""Datasets that only a sweep uses."""
