"""Trackers, which copy the folders of finished sweeps to MLflow."""
