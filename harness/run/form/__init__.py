"""Forms of files. One description of each is used to recognise, read, write and document it."""

from harness.run.form.columns import of_table
from harness.run.form.form import FORMS, TREC, Form, form_named, named_forms, recognise
from harness.run.form.writers import trec_lines

__all__ = [
    "FORMS",
    "TREC",
    "Form",
    "form_named",
    "named_forms",
    "of_table",
    "recognise",
    "trec_lines",
]
