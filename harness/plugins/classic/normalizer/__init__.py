"""Normalizers that vector databases have."""
