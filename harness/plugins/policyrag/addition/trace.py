"""A policy (retriever=policyrag) shows its seeds with their factors, the facts it kept and dropped,
the mass by family of edges, and each passage's score by its terms:

  harness trace dataset=musique query=ID +retriever@lists.policy=policyrag 'pool.lists=[dense,policy]'

With a lock the policy `seeds` is the configuration's.
"""
