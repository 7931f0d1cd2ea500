"""What the core does without, a folder a plug-in, each found because it is there; see the configuration's extensions."""
