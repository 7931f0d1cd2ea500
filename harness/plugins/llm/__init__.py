"""Language models: endpoints, gates, readers and answers, entities by a model, embeddings by an
endpoint.
"""
