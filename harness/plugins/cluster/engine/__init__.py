"""Engines of many machines."""
