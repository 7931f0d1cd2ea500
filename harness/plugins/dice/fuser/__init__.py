"""The fusers of this paper."""
