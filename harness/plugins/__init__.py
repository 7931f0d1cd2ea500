"""What the core does without, a folder a plug-in, found because it is there; see the
configuration's extensions.
"""
