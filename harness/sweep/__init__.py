"""The protocol: expand a grid, score its trials on tune, lock the winner, score the lock on test
once.
"""
