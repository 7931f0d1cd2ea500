"""The gallery: every figure that a command makes, with the command."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

from harness.core.configuration.extensions import modules
from harness.report import figure

REPORT = ("harness sweep", "harness heldout", "harness report")

SHOWN = Path(__file__).resolve().parent / "pages" / "figures"

COMMANDS: dict[str, tuple[str, ...]] = {
    "outcomes": REPORT,
    "alpha": REPORT,
    "list_scores": REPORT,
    "heatmap": ("harness sweep experiment=normalizer_by_fuser", "harness report"),
    "bars": (
        "harness sweep experiment=phasegraph encoder=static",
        "harness heldout",
        "harness report",
    ),
    "gain": (
        "harness sweep -m experiment=fusion_pays dataset=2wikimultihopqa,musique,hotpotqa",
        "harness heldout sweep=DIR",
        "harness report 'sweep=[DIR,DIR,DIR]'",
    ),
    "growth": ("python -m tests.benchmarks growth",),
}
"""What makes a figure, by the module of harness.report that draws it (``growth``:
tests/benchmarks).
"""

FILES = {
    "list_scores": ("scores",),
    "heatmap": ("normalizer_by_fuser",),
    "bars": ("phasegraph_figure_4",),
    "gain": ("fusion_pays",),
}
"""How the names of a figure's files in the showcase begin; of others with the name of what draws
them.
"""
OTHERS = {
    "growth": "Seconds and memory of each stage as a benchmark grows to 200,000 passages",
}
"""What draws outside harness.report.figure."""


def drawn() -> list[str]:
    """Every module of harness.report.figure and of plug-ins' folders of that name, and what draws
    elsewhere.
    """
    return [
        *(info.name for info in pkgutil.iter_modules(figure.__path__)),
        *modules("figure"),
        *OTHERS,
    ]


def gallery() -> str:
    """The page."""
    parts = [
        "# Gallery: every figure, and the command that makes it\n",
        "`harness report` writes figures as PDF and PNG, as wide as a column, into "
        "`reports/figures/`, and the [site](../experiments.md#look-at-results-the-site) "
        "shows their values "
        "where you point. Those here are of MuSiQue or of the embedded `sample`.\n",
    ]
    for name, commands in COMMANDS.items():
        parts.append(
            f"## {title(name)}\n\n```console\n"
            + "".join(f"$ {line}\n" for line in commands)
            + "```\n"
        )
        parts += [f"![{title(name)}]({file})\n" for file in pictures(name)]
    return "\n".join(parts)


def pictures(name: str) -> list[str]:
    """Its files, as the page names them."""
    return [
        f"../figures/{path.name}"
        for part in FILES.get(name, (name,))
        for path in sorted(SHOWN.glob(f"{part}*.png"))
    ]


def title(name: str) -> str:
    """Return the first words of the docstring of what draws it."""
    if name in OTHERS:
        return OTHERS[name]
    module = modules("figure").get(name, f"harness.report.figure.{name}")
    text = str(importlib.import_module(module).__doc__).partition("\n\n")[0]
    return " ".join(text.split()).partition(":")[0].rstrip(".")
