"""Wins and metrics of a table, as a figure."""
