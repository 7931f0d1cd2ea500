"""Fusion of ranked lists: alignment, calibration, fusion, reranking."""
