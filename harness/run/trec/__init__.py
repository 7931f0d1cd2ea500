"""TREC files: runs, ``qid Q0 docid rank score tag``, and qrels, ``qid 0 docid relevance``; plain or
packed.

Accepted are fields separated by any mix of spaces and tabs, blank lines, Windows line ends, a UTF-8
byte order mark, and lines in any order. ``Q0`` and the tag have no effect. The **score** orders a
list: descending, equal scores by document id ascending. The rank must not contradict it: no
document may have a better rank than one with a greater score. A constant rank, and any order of
equal scores, is accepted. If a whole file has one score and several ranks, there is a warning.

Refused, with file, line and mend, are a line without six fields, a score that is not a finite
number, a rank that is not a whole number or contradicts the score, a document twice in a list, an
empty file, and a file that is not UTF-8 text.

With ``lenient``, comment lines (``#``) and fields after the sixth are skipped, as in trec_eval's
own test files.

trec_eval orders equal scores by document id **descending** and reads scores as 32-bit floats.
``ties=trec`` in `harness evaluate` and `compare` does the same.
"""

from harness.run.trec.lines import LINES, QRELS, RUN, Line, entries, first_line, is_comment

__all__ = ["LINES", "QRELS", "RUN", "Line", "entries", "first_line", "is_comment"]
