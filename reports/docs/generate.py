"""Pages that are made of the code: strategies, commands, benchmarks, experiments, reference."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
import sys
import time
import tomllib
from html import escape
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Page

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from architecture import drawing, rooms  # noqa: E402
from docstrings import readable  # noqa: E402
from formula import fence  # noqa: E402
from gallery import gallery  # noqa: E402

import harness  # noqa: E402
from harness.__main__ import commands, manual  # noqa: E402
from harness.core.concepts import ROOMS  # noqa: E402
from harness.core.configuration import compose, names  # noqa: E402
from harness.core.configuration.extensions import folders, plugins  # noqa: E402
from harness.sweep.trial.plan import Plan  # noqa: E402

DOCS = ROOT / "reports" / "docs"
PAGES = DOCS / "pages"
REFERENCE = [*reversed(rooms()), "plugins", "testing"]
"""The pages of the reference: the rooms, the lowest first, and what tests of others inherit."""

BEHIND = 1e-4
"""Of a generated page's words in a search; a word in a title counts a thousand times, and names are
titles there.
"""

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


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put plug-ins and the reference into the navigation, each a closed entry; blocks ``math`` are
    formulas.
    """
    assert config.nav is not None
    config.site_name = f"{config.site_name} {version()}"
    config.mdx_configs["pymdownx.superfences"] = {
        "custom_fences": [{"name": "math", "class": "math", "format": fence}]
    }
    found = {
        "Plug-ins": sorted(
            path.relative_to(PAGES).as_posix() for path in (PAGES / "plugins").rglob("*.md")
        ),
        "Functions": ["reference/harness.md", *(f"reference/{name}.md" for name in REFERENCE)],
    }
    for entry in config.nav[-1]["More"]:
        entry.update({name: pages for name, pages in found.items() if name in entry})
    return config


def version() -> str:
    """Of the package, as pyproject.toml says it."""
    return str(
        tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    )


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made of the code."""
    pages = {"strategies.md": strategies(), "commands.md": command_pages(), "gallery.md": gallery()}
    pages["tutorial-notebook.md"] = notebook(DOCS / "examples" / "tutorial.ipynb")
    pages["security.md"] = (
        (ROOT / "SECURITY.md").read_text(encoding="utf-8").replace("reports/docs/pages/", "")
    )
    pages["reference/harness.md"] = top()
    pages |= {f"reference/{name}.md": room(name) for name in REFERENCE}
    pages["rooms.svg"] = drawing()
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    for path in (ROOT / "reports" / "showcase" / "figures").glob("*.png"):
        files.append(File.generated(config, f"figures/{path.name}", abs_src_path=str(path)))
    return files


SAID = {"at": time.monotonic(), "pages": 0}
"""When the last line on the way was written, and how many pages are read."""


def tell(page: Page, files: Files) -> None:
    """Every half minute, a line that says how far the documentation is."""
    SAID["pages"] += 1
    if time.monotonic() - SAID["at"] >= 30:
        SAID["at"] = time.monotonic()
        print(
            f"{SAID['pages']} of {len(files.documentation_pages())} pages: {page.file.src_uri}",
            file=sys.stderr,
        )


def on_page_markdown(markdown: str, page: Page, files: Files, **_: Any) -> str:
    """Fill the places that a written page leaves to the code; a search finds written pages before
    generated ones.
    """
    tell(page, files)
    if page.file.generated_by is not None:
        page.meta["search"] = {"boost": BEHIND}
    for mark, fill in FILLED.items():
        if mark in markdown:
            markdown = markdown.replace(mark, fill())
    return markdown


EVERYDAY = {"auto", "chain", "cluster", "graph", "list", "lock", "look", "query", "run", "split"}
"""Words of the glossary that pages also use in their everyday sense: these are not linked."""


def glossary() -> dict[str, tuple[str, str]]:
    """Of each word its entry, several words with commas between them, and what it is, without links
    and marks.
    """
    table = (PAGES / "reference" / "glossary.md").read_text(encoding="utf-8").partition("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \| (.+) \|$", table, re.M)[1:]
    plain = {entry: re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", text) for entry, text in rows}
    return {word: (entry, text) for entry, text in plain.items() for word in entry.split(", ")}


def on_page_content(html: str, page: Page, **_: Any) -> str:
    """On a page of the menu the first use of a word shows its line of the glossary and
    leads there.
    """
    if page.file.src_uri == "reference/glossary.md":
        return re.sub(
            r"<tr>\n<td>(.+?)</td>",
            lambda row: f'<tr id="{slug(row[1])}">\n<td>{row[1]}</td>',
            html,
        )
    if "/" in page.file.src_uri or page.file.generated_by is not None:
        return html
    left = {word: entry for word, entry in glossary().items() if word not in EVERYDAY}

    def link(found: re.Match[str]) -> str:
        entry, text = left.pop(found["word"] or "", ("", ""))
        title = escape(text, quote=True)
        address = f"reference/glossary.html#{slug(entry)}"
        return (
            f'<a class="word" href="{address}" title="{title}">{found[0]}</a>'
            if entry
            else found[0]
        )

    named = "|".join(map(re.escape, sorted(left, key=len, reverse=True)))
    skipped = r"<(?P<tag>a|h\d|pre|code|math)\b.*?</(?P=tag)>|<[^>]+>"
    return re.sub(rf"{skipped}|(?<![\w-])(?P<word>{named})s?(?![\w-])", link, html, flags=re.DOTALL)


def slug(entry: str) -> str:
    """The anchor of an entry of the glossary."""
    return re.sub(r"(<[^>]+>|[\W_])+", "-", entry.lower()).strip("-")


def notebook(path: Path) -> str:
    """A notebook that was run: its texts, its code, and the richest form of each output."""
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", ()):
            data = output["data"]
            if "image/png" in data:
                parts.append(
                    '<img alt="the output" '
                    f'src="data:image/png;base64,{"".join(data["image/png"]).strip()}">'
                )
            else:
                html = "".join(data["text/html"])
                parts.append(re.sub(r"<style.*?</style>|\n\s*", "", html, flags=re.S))
    return "\n\n".join(parts)


def top() -> str:
    """The public names, each with its first line and where it is described; then the rooms."""
    parts = [
        "# harness\n\nWhat a notebook needs: `import harness`. Below them stand the rooms that "
        "they are of.\n"
    ]
    parts += ["| name | what it is | room |", "|---|---|---|"]
    for name in sorted(harness.__all__, key=str.lower):
        thing = getattr(harness, name)
        where, home = thing.__module__, thing.__module__.split(".")[1]
        said = readable(_first_line(inspect.getdoc(thing) or "")).replace("|", "\\|")
        parts.append(
            f"| [`harness.{name}`][{where}.{thing.__name__}] | {said} | [{home}]({home}.md) |"
        )
    parts.append(
        "\n## The rooms\n\nEach imports only those below it.\n\n| room | what it is |\n|---|---|"
    )
    parts += [
        f"| [`harness.{name}`]({name}.md) | {_first_line(_lead(name))} |"
        for name in reversed(REFERENCE)
    ]
    return "\n".join(parts) + "\n"


def room(name: str) -> str:
    """A room of the reference: the public names that are described in it first, then all of it."""
    mine = [
        one for one in harness.__all__ if getattr(harness, one).__module__.split(".")[1] == name
    ]
    links = [f"[`harness.{one}`][{getattr(harness, one).__module__}.{one}]" for one in mine]
    lead = f"Public names described here: {', '.join(links)}.\n\n" if links else ""
    return f"# harness.{name}\n\n{lead}::: harness.{name}\n"


def _lead(name: str) -> str:
    return _doc(importlib.import_module(f"harness.{name}"))


def _first_line(text: str) -> str:
    return text.partition("\n\n")[0].replace("\n", " ")


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
    rows = ["| benchmark | licence | queries | passages | where from |", "|---|---|---|---|---|"]
    for path in sorted((ROOT / "datasets").glob("*.yaml")):
        card = yaml.safe_load(path.read_text(encoding="utf-8"))
        records = [entry for kind in (card.get("expected") or {}).values() for entry in kind or []]
        counts = [
            dict.fromkeys(str(entry[key]) for entry in records) for key in ("queries", "passages")
        ]
        cells = [
            f"`{card['name']}`",
            card["licence"],
            *(" or ".join(found) for found in counts),
            card["source"],
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


FILLED = {"[[benchmarks]]": benchmarks, "[[grids]]": grids}
