"""A trace as text and as a page: paths from seeds to passages."""
