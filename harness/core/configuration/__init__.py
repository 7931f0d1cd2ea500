"""Configurations: the folders of conf/, composing a configuration, and making strategies from
one.
"""
