"""report.pdf and its LaTeX files."""
