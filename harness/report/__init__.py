"""Reports: LaTeX tables, figures, a PDF, a page, and the tables that commands print."""
