"""Datasets that only a sweep can make."""
