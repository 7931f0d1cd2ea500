"""LaTeX: filled templates of reports/templates, and ``report.tex`` compiled to ``report.pdf``.

Every value is escaped in a template; LaTeX code is passed as ``Markup``. A compiler runs no command
and no settings file in the folder, and reads and writes nothing outside of it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from harness.core.concepts import package_folder
from harness.core.files import whole
from harness.core.table import table_text
from harness.work.progress import Progress

PDFLATEX = ("-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error")
COMMANDS = {
    "latexmk": ["latexmk", "-norc", "-pdf", *PDFLATEX, "-outdir={out}"],
    "pdflatex": ["pdflatex", *PDFLATEX, "-output-directory={out}"],
    "tectonic": ["tectonic", "--untrusted", "--outdir={out}"],
}
REPRODUCIBLE = {"SOURCE_DATE_EPOCH": "0", "FORCE_SOURCE_DATE": "1"}
CONFINED = {"openin_any": "p", "openout_any": "p", "shell_escape": "f"}
"""Settings of TeX (kpathsea): no files outside the folder are read or written, no
command is run.
"""
SECONDS = 180


def compile_pdf(folder: Path, seconds: int = SECONDS) -> str:
    """Compile ``report.tex`` of a folder to ``report.pdf``; return a line on the result.

    Without LaTeX, or if it fails, there is no such PDF afterwards: never one of other results.
    """
    target = folder / "report.pdf"
    target.unlink(missing_ok=True)
    tool = next((name for name in COMMANDS if shutil.which(name)), None)
    if tool is None:
        return (
            f"no PDF: none of {', '.join(COMMANDS)} is installed (Debian: latexmk and "
            f"texlive-latex-recommended); {folder / 'report.tex'} compiles where one is"
        )
    with Progress(f"{target} by {tool}"), tempfile.TemporaryDirectory() as out:
        command = [*(part.format(out=out) for part in COMMANDS[tool]), "report.tex"]
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env={**os.environ, **REPRODUCIBLE, **CONFINED},
                capture_output=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"no PDF: {tool} did not end within {seconds} s"
        compiled = Path(out) / target.name
        if done.returncode or not compiled.is_file():
            return f"no PDF: {tool} failed ({_complaint(done.stdout + done.stderr)})"
        with whole(target) as partial:
            shutil.copyfile(compiled, partial)
    return str(target)


def _complaint(output: bytes) -> str:
    text = output.decode(errors="replace")
    error = re.search(r"^! .*$", text, re.MULTILINE) or re.search(
        r"^.*[Ee]rror.*$", text, re.MULTILINE
    )
    return error[0].strip()[:200] if error else "it printed no message"


LATEX_MARKS = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
    "comment_start_string": "<#",
    "comment_end_string": "#>",
}


def fill(name: str, **values: Any) -> str:
    """Return the template of that name with these values."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(package_folder("reports/templates")),
        undefined=StrictUndefined,
        finalize=lambda value: value if isinstance(value, Markup) else table_text(value),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        **LATEX_MARKS,  # type: ignore[arg-type]
    )
    environment.filters["markup"] = Markup
    environment.filters["path_in"] = lambda table, section: section.path(table)
    return environment.get_template(name).render(**values)
