"""From ranked lists to one: aligning, calibrating, fusing, reranking."""
