"""Fitting the weights of a list or a reranker on tune: what may move, the search, and folds that it does not see."""
