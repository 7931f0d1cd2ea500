"""What computes with a learned model: encoders, endpoints, gates, readers."""
