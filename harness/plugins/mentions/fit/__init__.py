"""Fits of the weights of a list on tune: the search, and cross-fitting by fold."""
