"""The retrievers of this paper."""
