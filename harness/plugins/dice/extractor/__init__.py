"""The extractors of this paper."""
