"""Long work by one process or many: the store of artifacts, parts, shared loops, progress and
engines.
"""
