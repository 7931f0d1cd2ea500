"""Learned models: encoders, and the weights that can be installed."""
