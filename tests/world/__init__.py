"""A small made-up world and questions about it. It knows nothing of retrievers or fusers."""
