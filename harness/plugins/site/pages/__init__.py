"""The site: every sweep as pages that open from disk, from all sweeps down to a question.

``build`` copies the pages of ``templates`` and writes their data as files below ``data/``, each
read when a page needs it.
"""
