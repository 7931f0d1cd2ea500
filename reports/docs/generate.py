"""Write the pages that are made from the code and from papers.yaml: strategies, commands, figures,
functions, counts, the tables of the four papers.

`python reports/docs/generate.py` writes them into reports/docs/pages, where they are committed;
with `--check` it names the pages that are stale and exits with status 1.
"""

from __future__ import annotations

import ast
import csv
import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml
from statsmodels.stats.proportion import confint_proportions_2indep

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from docstrings import readable  # noqa: E402
from gallery import gallery  # noqa: E402

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


def paper_items() -> list[dict[str, Any]]:
    """The items of papers.yaml, each with the name of its paper."""
    found = yaml.safe_load((Path(__file__).parent / "papers.yaml").read_text(encoding="utf-8"))
    return [item | {"paper": paper["name"]} for paper in found["papers"] for item in paper["items"]]


def papers() -> str:
    """The tables, figures and formulas of the four papers, next to our figures."""
    known = yaml.safe_load((Path(__file__).parent / "papers.yaml").read_text(encoding="utf-8"))
    parts = [PAPERS]
    for paper in known["papers"]:
        shown = [
            (item["item"], item["shows"], f"`{item['command']}`", minutes(item), where(item))
            for item in paper["items"]
        ]
        values = [
            value_cells(row, item, known["why"])
            for item in paper["items"]
            for row in item["rows"]
            if not needs(row, item)
        ]
        checked = [
            (one["item"], one["is"], f"`{one['override']}`", f"`tests/{one['test']}`")
            for one in paper["formulas"]
        ]
        parts += [
            f"## {paper['name']}\n\n{paper['claims']}\n\n*{paper['made_with']}*\n",
            lines_of(("item", "what it shows", "command", "minutes", "our findings"), shown),
            lines_of(VALUES, values),
            lines_of(("formula", "what it is", "override", "checked by hand in"), checked),
        ]
    parts += [
        "## What nothing here can answer\n",
        "".join(unanswered(known["papers"])),
        "## Names\n",
        lines_of(("in the papers", "here", "typed as"), known["names"]),
        "## What the papers leave open\n",
        lines_of(("left open", "how it is read here"), known["open"]),
        "## Every experiment, by source\n",
        lines_of(("experiment", "source"), experiments([one["name"] for one in known["papers"]])),
    ]
    return "\n".join(parts)


VALUES = ("item", "row", "published", "of", "ours", "of", "difference", "why")
"""The heads of a table of values."""


def needs(row: Mapping[str, Any], item: Mapping[str, Any]) -> str | None:
    """Return what a row needs that is not here; None if it has our value."""
    found: str | None = row.get("needs") or item.get("needs")
    return found


def unanswered(papers: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each row that nothing here can answer, with what it needs."""
    for paper in papers:
        for item in paper["items"]:
            for row in item["rows"]:
                if missing := needs(row, item):
                    name = f"{paper['name']}, {item['item']}, {row['row']}"
                    yield f"- {name}: {printed(row, 'published', 'says')}. Needs {missing}.\n"


PAPERS = """# The four papers, table by table

**Each table, figure and numbered formula of the four papers: the command that makes it, the published value, and ours, each with
its benchmark, split and metric, and ours with its sweep.** A row has a difference only if benchmark, split and metric are the same;
even then encoders, extractors or language models differ, and the last column says which. What came of the claims:
[findings](plugins/phasegraph/findings.md), [PolicyRAG](plugins/policyrag/policyrag.md), [Dice](plugins/dice/dice.md).

Values are percent. W/L: questions won and lost. A difference is ours less the published value; its 95% interval (Newcombe's, for two
independent samples) is given for shares of questions. `NAME, static` is the table NAME of a stored sweep of all of a paper's tables, of this version, with `encoder=static`, held out once; `0.5.0, MiniLM` are figures of that version, which counted every question of
HotpotQA. `musique_804_3fa182ed` is the copy of `musique_804` that [results](results.md) are of. Minutes: of a processor, once lists
are stored. Replace the name after `dataset=` by another one of [data](data.md); capital words stand for yours.
All tables of a paper are one sweep, held out once; each further sweep is [one more evaluation](protocol.md#the-ledger) of the same questions, which multiplies p.
"""


def lines_of(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of Markdown."""
    lines = ["| " + " | ".join(cells) + " |" for cells in (heads, ["---"] * len(heads), *rows)]
    return "\n".join(lines) + "\n"


def minutes(item: Mapping[str, Any]) -> str:
    """How long an item's command took, if it was timed."""
    return str(item.get("minutes", "–"))


def where(item: Mapping[str, Any]) -> str:
    """A link to our findings, or what an item needs that is not here."""
    if "needs" in item:
        return f"cannot be had here: needs {item['needs']}"
    return f"[{Path(item['at']).stem}]({item['at']})" if "at" in item else "–"


def stored_line(item: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    """What a stored table has of a row: value, n, wins and losses, and what it is of."""
    name = row.get("table") or item["stored"]
    dataset, _, experiment = name.partition("/")
    path = ROOT / "reports" / "showcase" / "papers" / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as stream:
        lines = list(csv.DictReader(stream))
    questions, split = row.get("questions", lines[0].get("questions")), row.get("split", "test")
    (line,) = [
        one
        for one in lines
        if (one["row"], one.get("questions"), one["split"]) == (row["stored"], questions, split)
    ]
    heads = list(line)
    first = heads[heads.index("n") + 1].removesuffix(SHARE)
    metric = row.get("metric", first)
    found: dict[str, Any] = {"ours": 100 * float(line[f"{metric}{SHARE}"])}
    if line["W"] and metric == first:  # W and L are counted on the first metric alone
        found["gives"] = f"{line['W']}/{line['L']}"
    split = line["split"] if questions in (None, "all") else f"{line['split']}, {questions}"
    found["here"] = [dataset, split, metric, f"`{experiment}`, static"]
    return found | ({"n": int(line["n"])} if "of" in row else {})


def value_cells(
    row: Mapping[str, Any], item: Mapping[str, Any], why: Mapping[str, str]
) -> list[str]:
    """A row's cells, as in ``VALUES``."""
    own = stored_line(item, row) if "stored" in row else {}
    row = {key: item[key] for key in ("theirs", "here") if key in item} | {**row, **own}
    differs = [
        f"another {what}"
        for what, theirs, ours in zip(SIDES, row["theirs"], row["here"], strict=False)
        if theirs != ours
    ]
    reason = "; ".join(
        filter(None, [", ".join(differs), why.get(row.get("why", ""), row.get("why"))])
    )
    return [
        item["item"],
        row["row"],
        printed(row, "published", "says"),
        ", ".join(row["theirs"]),
        printed(row, "ours", "gives"),
        f"{', '.join(row['here'][:3])}; {row['here'][3]}",
        "–" if differs else difference(row),
        reason,
    ]


SHARE = " (share)"
"""The end of the head of a column of shares in a stored table."""
SIDES = ("benchmark", "split", "metric")
"""What must be the same on both sides of a row, so that it has a difference."""


def printed(row: Mapping[str, Any], value: str, text: str) -> str:
    """Return a row's value with the text that was printed beside it."""
    found = [f"{row[value]:.1f}"] if value in row else []
    return "; ".join([*found, *filter(None, [row.get(text)])])


def difference(row: Mapping[str, Any]) -> str:
    """Ours less the published value, with an interval if both are shares of questions."""
    if "published" not in row or "ours" not in row:
        return "–"
    text = f"{row['ours'] - row['published']:+.1f}"
    if "of" not in row or "n" not in row:
        return text
    counts = [
        round(row[key] * row[size] / 100) for key, size in (("ours", "n"), ("published", "of"))
    ]
    low, high = confint_proportions_2indep(
        counts[0], row["n"], counts[1], row["of"], method="newcomb", compare="diff"
    )
    return f"{text} ({100 * low:+.1f} to {100 * high:+.1f})"


def experiments(first: Sequence[str]) -> list[tuple[str, str]]:
    """The experiments with their sources; those of the four papers come first."""
    words = [name.split()[0].partition("-")[0] for name in first]
    found = []
    for name in names("experiment"):
        text = _file(f"experiment/{name}.yaml").read_text(encoding="utf-8")
        source = str(yaml.safe_load(text)["experiment"]["source"])
        place = next((at for at, word in enumerate(words) if source.startswith(word)), len(words))
        found.append((place, name, source))
    return [(f"`{name}`", source) for _, name, source in sorted(found)]


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
