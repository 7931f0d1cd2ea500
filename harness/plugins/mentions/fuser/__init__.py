"""Fusers that learn what each list is worth."""
