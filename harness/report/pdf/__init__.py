"""report.pdf and the LaTeX that it is made of."""
