"""What the built site adds to the pages: links to the glossary, and formulas as MathML."""

from __future__ import annotations

import re
import sys
import tomllib
from html import escape
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))

from formula import fence, mathml

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "reports" / "docs" / "pages"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the plug-ins' pages into the menu; show blocks ``math`` as formulas."""
    assert config.nav is not None
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    config.site_name = f"{config.site_name} {project['version']}"
    config.mdx_configs["pymdownx.superfences"] = {
        "custom_fences": [{"name": "math", "class": "math", "format": fence}]
    }
    found = sorted(path.relative_to(PAGES).as_posix() for path in PAGES.glob("plugins/**/*.md"))
    for entry in config.nav[-1]["More"]:
        if "Plug-ins" in entry:
            entry["Plug-ins"] = found
    return config


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Show the formulas between dollar signs of the strategies and functions."""
    if page.file.src_uri not in ("reference/strategies.md", "reference/functions.md"):
        return markdown
    return re.sub(r"\$`(.+?)`\$", lambda found: f"<span>{mathml(found[1])}</span>", markdown)


EVERYDAY = {"auto", "chain", "cluster", "graph", "list", "lock", "look", "query", "run", "split"}
"""Words of the glossary that pages also use in their everyday sense: not linked."""


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
    if "/" in page.file.src_uri:
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
