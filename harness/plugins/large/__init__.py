"""What only graphs of millions need: synonyms by an inverted file, walks that push mass from the
seeds on.
"""
