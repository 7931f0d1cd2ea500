"""Write the pages that are made from the code and from papers.yaml: strategies, commands, figures,
functions, counts, the tables of the four papers.

`python reports/docs/generate.py` writes them into reports/docs/pages, where they are committed;
with `--check` it names the pages that are stale and exits with status 1.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType

import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from docstrings import readable  # noqa: E402
from gallery import gallery  # noqa: E402
from papers import papers  # noqa: E402

import harness  # noqa: E402
from harness.__main__ import commands, manual  # noqa: E402
from harness.benchmark.source.card import read_card  # noqa: E402
from harness.core.concepts import ROOMS  # noqa: E402
from harness.core.configuration.composition import compose  # noqa: E402
from harness.core.configuration.conf_files import names  # noqa: E402
from harness.core.configuration.extensions import folders, plugins  # noqa: E402
from harness.sweep.trial.plan import Plan  # noqa: E402

PAGES = ROOT / "reports" / "docs" / "pages"
NOTE = "<!-- Made by `python reports/docs/generate.py`. -->\n\n"

CONCEPTS = {
    "normalizer": "Normalizers: a list's scores to a common scale",
    "temperature": "Temperatures: how sharply values become probabilities",
    "fuser": "Fusers: several lists to one score a document",
    "reranker": "Rerankers: another order for the best of the fused documents",
    "retriever": "Retrievers: a benchmark to ranked lists",
    "reader": "Readers: answers from passages, for `harness answer`",
    "gate": "Gates: which facts near a question are kept",
    "graph": "Graphs: what the walk of `ppr` goes over",
    "triplestore": "Triple stores: where the triples of `dice` lie",
    "vectorstore": "Vector stores: where the vectors that `dice` asks lie",
    "extractor": "Extractors: entities in passages and questions",
    "encoder": "Encoders: texts to vectors",
}


def functions() -> str:
    """The public names of `harness`, each with its signature and its docstring."""
    parts = ["# Functions\n\nWhat a script or a notebook needs: `import harness`.\n"]
    for name in sorted(harness.__all__, key=str.lower):
        thing = getattr(harness, name)
        parts.append(f"## harness.{name} {{ #{name} }}\n\n{described(name, thing)}")
        for inner, method in vars(thing).items() if inspect.isclass(thing) else ():
            function = getattr(method, "__func__", method)
            if not inner.startswith("_") and inspect.isfunction(function):
                parts.append(f"### {name}.{inner}\n\n{described(inner, function)}")
    return "\n".join(parts)


def described(name: str, thing: object) -> str:
    """The signature of a class or function as code, then its docstring."""
    lines = [readable(inspect.getdoc(thing) or ""), ""]
    if callable(thing) and not (inspect.isclass(thing) and issubclass(thing, Exception)):
        signature = re.sub(r" at 0x[0-9a-f]+", "", str(inspect.signature(thing)))
        lines = ["```text", f"{name}{signature}", "```", "", *lines]
    return "\n".join(lines)


def strategies() -> str:
    """Every configuration of every concept: its docstring, which holds the formula, and its
    configuration.
    """
    parts = [
        "# Every strategy, with its formula\n\nThis page is made of the docstrings and of `conf/`. "
        "A strategy is chosen by name and its parameters are overrides: `fuser=boltzmann "
        "fuser.alpha=0.6`.\n"
    ]
    for concept, title in CONCEPTS.items():
        parts.append(f"\n## {title}\n")
        parts.append(readable(_doc(_package(concept))) + "\n")
        parts += [strategy(concept, name) for name in names(concept)]
    return "\n".join(parts)


def strategy(concept: str, name: str) -> str:
    """One configuration."""
    text = _file(f"{concept}/{name}.yaml").read_text(encoding="utf-8")
    module, _, kind = _target(concept, name).rpartition(".")
    tree = ast.parse(Path(str(importlib.util.find_spec(module).origin)).read_text(encoding="utf-8"))  # type: ignore[union-attr]
    found = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == kind)
    lead, body = ast.get_docstring(tree) or "", ast.get_docstring(found) or ""
    return "\n".join(
        [
            f"\n### `{concept}={name}` {{ #{concept}-{name} }}\n",
            readable(lead),
            "",
            readable(body),
            "",
            "```yaml",
            text.strip(),
            "```",
        ]
    )


def _target(concept: str, name: str) -> str:
    """What a configuration makes; one that only changes another's fields makes what that makes."""
    found = yaml.safe_load(_file(f"{concept}/{name}.yaml").read_text(encoding="utf-8")) or {}
    return str(found["_target_"] if "_target_" in found else _target(concept, found["defaults"][0]))


def _file(name: str) -> Path:
    """A configuration of ours, or of a plug-in."""
    return next(folder / name for folder in folders() if (folder / name).is_file())


def _package(concept: str) -> ModuleType:
    """The package of a concept: in its room, or in the plug-in that brings it."""
    inside = next((name for name, folder in plugins().items() if (folder / concept).is_dir()), "")
    brought = concept not in ROOMS and concept not in ("graph", "retriever")
    name = (
        f"plugins.{inside}.{concept}"
        if brought
        else f"{ROOMS[concept]}.{concept}"
        if concept in ROOMS
        else concept
    )
    return importlib.import_module(f"harness.{name}")


def command_pages() -> str:
    """The help of every command."""
    lead = "# Commands\n\nThis page is made of what `harness <command> --help` prints.\n"
    parts = [
        f"## harness {name} {{ #{name} }}\n\n```text\n{manual(name)}\n```\n" for name in commands()
    ]
    return "\n".join([lead, *parts])


def benchmarks() -> str:
    """The cards of the benchmarks as a table."""
    heads = ("benchmark", "licence", "queries", "passages", "content", "where from")
    rows = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for path in sorted((ROOT / "datasets").glob("*.yaml")):
        card = read_card(path.stem)
        known = card.expected
        cells = [
            f"`{card.name}`{f', `{card.alias}`' if card.alias else ''}",
            card.licence,
            *(known.get(key, "") for key in ("queries", "passages")),
            f"`{known['content'][:12]}`" if "content" in known else "",
            card.source,
        ]
        rows.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


GRIDS = {
    "`harness sweep`": [],
    "`harness sweep '~retriever@lists.bm25'`, two lists": ["~retriever@lists.bm25"],
    "`harness sweep grid=point`": ["grid=point"],
    "`harness sweep grid=wide`": ["grid=wide"],
    "`harness sweep experiment=fusion_pays`": ["experiment=fusion_pays"],
}
"""What a user types to try a grid of the core, and its overrides."""


def trials(overrides: list[str]) -> tuple[int, int]:
    """How many fusions and how many single lists a sweep with these overrides scores."""
    found = Plan(compose("sweep", overrides), tuple(overrides)).trials()
    singles = sum(one.settings["fuser"] == "single" for one in found)
    return len(found) - singles, singles


def grids() -> str:
    """The number of trials of each grid of the core, counted from the grids."""
    rows = ["| you type | fusions | single lists | trials |", "|---|---|---|---|"]
    for typed, overrides in GRIDS.items():
        fusions, singles = trials(overrides)
        rows.append(f"| {typed} | {fusions} | {singles} | {fusions + singles} |")
    return "\n".join(rows)


def _doc(module: ModuleType) -> str:
    return (
        ast.get_docstring(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))) or ""
    )


FILLED = {"data.md": ("benchmarks", benchmarks), "experiments.md": ("grids", grids)}
"""Pages of which a part is made: the name of the part, and what makes it."""


def filled(page: str) -> str:
    """A written page with its made part, between two comments, as it should be now."""
    name, make = FILLED[page]
    text = (PAGES / page).read_text(encoding="utf-8")
    pattern = rf"(<!-- {name} -->\n\n).*?(\n\n<!-- end -->)"
    return re.sub(pattern, lambda found: found[1] + make() + found[2], text, flags=re.DOTALL)


def pages() -> dict[Path, str]:
    """Each page that is made, with its text."""
    made = {
        "reference/strategies.md": strategies,
        "reference/commands.md": command_pages,
        "reference/gallery.md": gallery,
        "reference/functions.md": functions,
        "papers.md": papers,
    }
    found = {PAGES / path: NOTE + make().rstrip() + "\n" for path, make in made.items()}
    return found | {PAGES / page: filled(page) for page in FILLED}


def main(arguments: list[str]) -> int:
    """Write the pages, or name those that are stale."""
    stale = []
    for path, text in pages().items():
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path.relative_to(ROOT).as_posix())
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
    print(*(stale or ["the pages are as the code says"]), sep="\n")
    return int(bool(stale) and "--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
