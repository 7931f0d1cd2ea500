"""The datasets of this paper."""
