"""Campaigns that try to break the harness: `make soak`. Minutes, bounded, and no part of `make
test`.
"""
