"""What computes with a learned model: encoders, and the weights that can be installed."""
