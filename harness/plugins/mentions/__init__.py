"""Walks and paths over mentions, rerankers that read what joins passages, fusers that learn, and
`harness fit`.
"""
