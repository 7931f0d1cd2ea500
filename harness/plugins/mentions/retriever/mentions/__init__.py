"""Questions and passages that mention one another: names, sentences, the paths between passages."""
