"""Readers of files, plain or packed: lines, JSON, YAML and separated values, with errors that name
the place.
"""
