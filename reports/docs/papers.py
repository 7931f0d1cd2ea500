"""The page of the four papers: their tables, figures and formulas next to ours, from papers.yaml
and from the stored sweeps of reports/showcase/papers.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from statsmodels.stats.proportion import confint_proportions_2indep

from harness.core.configuration.conf_files import names
from harness.core.configuration.extensions import folders

HERE = Path(__file__).resolve().parent
STORED = HERE.parent / "showcase" / "papers"
"""What `harness report` wrote of the sweeps that ``sweeps.csv`` there lists."""

Row = Mapping[str, Any]
Line = Mapping[str, str]

HEAD = """# The four papers, table by table

**Each table, figure and numbered formula of the four papers: the command that makes it, the published value, and ours, each with
its benchmark, split and metric, and ours with its sweep.** A row has a difference only if benchmark, split and metric are the same;
even then encoders, extractors or language models differ, and the last column says which. What came of the claims:
[findings](plugins/phasegraph/findings.md), [PolicyRAG](plugins/policyrag/policyrag.md), [Dice](plugins/dice/dice.md).

Values are percent. W/L: questions won and lost against the row that its table compares with: dense, or the one that
is named; a signed number before it is the change against that row. A difference is ours less the published value; its 95% interval (Newcombe's, for two
independent samples) is given for shares of questions. `NAME, ENCODER` is the table NAME of a sweep of this version, listed below;
`0.5.0, MiniLM` are figures of that version, which counted every question of HotpotQA.
`musique_804_3fa182ed` is the copy of `musique_804` that [results](results.md) are of.
Replace the name after `dataset=` by another one of [data](data.md); capital words stand for yours.

## The sweeps

All tables of a paper are one sweep of a benchmark, held out once. Several papers were held out on the same questions, and
`wiki_triples` asks those of 2Wiki, so each sweep is [one more evaluation](protocol.md#the-ledger) of them, which multiplies p.
*Evaluation* is by the ledger of these sweeps; the test halves of 2Wiki, MuSiQue and HotpotQA had been [looked at before](results.md). *Tune / test*: questions
that the objective counts. *Minutes* are what the sweep itself recorded on two processors that others used, too; *lists made* were not stored before and are
part of that time.
"""


def read_papers() -> dict[str, Any]:
    """Return what papers.yaml says."""
    known: dict[str, Any] = yaml.safe_load((HERE / "papers.yaml").read_text(encoding="utf-8"))
    return known


def paper_items() -> list[dict[str, Any]]:
    """Return the items of papers.yaml, each with the name of its paper."""
    found = read_papers()["papers"]
    return [item | {"paper": paper["name"]} for paper in found for item in paper["items"]]


def papers() -> str:
    """Return the page."""
    known = read_papers()
    parts = [HEAD, lines_of(SWEEP, map(sweep_cells, read_lines("sweeps")))]
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


SWEEP = (
    "experiment",
    "benchmark",
    "encoder",
    "trials",
    "tune / test",
    "evaluation",
    "minutes",
    "lists made",
    "sweep",
)
"""The heads of the table of sweeps."""
VALUES = ("item", "row", "published", "of", "ours", "of", "difference", "why")
"""The heads of a table of values."""
SIDES = ("benchmark", "split", "metric")
"""What must be the same on both sides of a row, so that it has a difference."""
SHARE = " (share)"
"""The end of the head of a column of shares in a stored table."""


def lines_of(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of Markdown."""
    lines = ["| " + " | ".join(cells) + " |" for cells in (heads, ["---"] * len(heads), *rows)]
    return "\n".join(lines) + "\n"


def read_lines(name: str) -> list[dict[str, str]]:
    """Return the lines of a stored table."""
    with (STORED / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def sweep_cells(sweep: Line) -> list[str]:
    """Return a sweep's cells, as in ``SWEEP``."""
    return [
        f"`{sweep['experiment']}`",
        f"`{sweep['benchmark']}`",
        sweep["encoder"],
        sweep["trials"],
        f"{sweep['tune']} / {sweep['test']}",
        sweep["evaluation"],
        in_minutes(sweep),
        sweep["lists made"],
        f"`{sweep['sweep']}`",
    ]


def sweep_of(table: str) -> Line:
    """Return the sweep of a stored table, FOLDER/EXPERIMENT or FOLDER/EXPERIMENT_PART."""
    folder, _, name = table.partition("/")
    found = [
        sweep
        for sweep in read_lines("sweeps")
        if sweep["folder"] == folder and f"{name}_".startswith(f"{sweep['experiment']}_")
    ]
    return max(found, key=lambda sweep: len(sweep["experiment"]))


def in_minutes(sweep: Line) -> str:
    """Return how long a sweep took, in minutes."""
    return f"{float(sweep['seconds']) / 60:.1f}".removeprefix("0")


def minutes(item: Row) -> str:
    """Return how long the sweeps of an item's stored rows took, the shortest and the longest."""
    stored = (sweep_of(table_of(row, item)) for row in item["rows"] if "stored" in row)
    typed = item["command"].split()
    found = [sweep for sweep in stored if f"experiment={sweep['experiment']}" in typed]
    found.sort(key=lambda sweep: float(sweep["seconds"]))
    return " to ".join(dict.fromkeys(map(in_minutes, (*found[:1], *found[-1:])))) or "–"


def where(item: Row) -> str:
    """Return a link to our findings, or what an item needs that is not here."""
    if "needs" in item:
        return f"cannot be had here: needs {item['needs']}"
    return f"[{Path(item['at']).stem}]({item['at']})" if "at" in item else "–"


def needs(row: Row, item: Row) -> str | None:
    """Return what a row needs that is not here; None if it has our value."""
    found: str | None = row.get("needs") or item.get("needs")
    return found


def unanswered(found: Iterable[Row]) -> Iterator[str]:
    """Yield a line for each row that nothing here can answer, with what it needs."""
    for paper in found:
        for item in paper["items"]:
            for row in item["rows"]:
                if missing := needs(row, item):
                    name = f"{paper['name']}, {item['item']}, {row['row']}"
                    yield f"- {name}: {printed(row, 'published', 'says')}. Needs {missing}.\n"


def value_cells(row: Row, item: Row, why: Mapping[str, str]) -> list[str]:
    """Return a row's cells, as in ``VALUES``."""
    own = stored_value(row, item) if "stored" in row else {}
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


def table_of(row: Row, item: Row) -> str:
    """Return the stored table of a row: FOLDER/TABLE."""
    return str(row.get("table") or item["stored"])


def stored_value(row: Row, item: Row) -> dict[str, Any]:
    """Return what a stored table has of a row: its value, n, and what it is of."""
    table = table_of(row, item)
    lines = read_lines(table)
    sweep = sweep_of(table)
    benchmark, label = sweep["benchmark"], f"`{Path(table).name}`, {sweep['encoder']}"
    if "trials" in lines[0]:  # a table of groups of trials, which are all of tune
        (group,) = (one for one in lines if one["trials"] == row["stored"])
        head = next(head for head in group if head.startswith("best ") and head.endswith(SHARE))
        metric = head.removeprefix("best ").removesuffix(SHARE)
        return {"gives": group_text(group, head), "here": [benchmark, "tune", metric, label]}
    line = line_of(lines, row, row["stored"])
    heads = list(line)
    first = heads[heads.index("n") + 1].removesuffix(SHARE)
    metric = row.get("metric", first)
    asked = line.get("questions") or "all"
    split = line["split"] if asked == "all" else f"{line['split']}, {asked}"
    found: dict[str, Any] = {"here": [benchmark, split, metric, label]}
    if "shows" in row:
        return found | {"gives": SHOWS[row["shows"]](line, lines, row)}
    found["ours"] = share(line, metric)
    texts = [change(line, lines, row, metric)] if "less" in row else []
    if line["W"] and metric == first:  # W and L are counted on the first metric alone
        texts.append(f"{line['W']}/{line['L']}")
    return found | {"gives": "; ".join(texts)} | ({"n": int(line["n"])} if "of" in row else {})


def line_of(lines: Sequence[Line], row: Row, label: str) -> Line:
    """Return the line of a stored table that has a label, on a row's split and questions."""
    wanted = (label, row.get("questions", lines[0].get("questions")), row.get("split", "test"))
    (line,) = (one for one in lines if (one["row"], one.get("questions"), one["split"]) == wanted)
    return line


def share(line: Line, metric: str) -> float:
    """Return the value of a metric in percent."""
    return 100 * float(line[f"{metric}{SHARE}"])


def change(line: Line, lines: Sequence[Line], row: Row, metric: str) -> str:
    """Return how much a row has more than the one that it is compared with."""
    points = share(line, metric) - share(line_of(lines, row, row["less"]), metric)
    return f"{points:+.1f}".replace("-0.0", "0").replace("+0.0", "0")


def group_text(line: Line, head: str) -> str:
    """Return the number of trials of a group, its most and mean wins and losses, its best score."""
    most, mean = f"{line['most W']}W/{line['its L']}L", (line["mean W"], line["mean L"])
    means = "W/".join(f"{float(one):.1f}" for one in mean)
    best = f"{100 * float(line[head]):.1f}"
    return f"{line['number']} trials, {most}, mean {means}L, best {best}"


def outcomes(line: Line, lines: Sequence[Line], row: Row) -> str:
    """Return on how many questions both, neither, the row alone and dense alone have a hit."""
    n, won, lost = (int(line[key]) for key in ("n", "W", "L"))
    hits = round(n * float(next(line[head] for head in line if head.endswith(SHARE))))
    return f"{hits - won} / {n - hits - lost} / {won} / {lost}"


def uncovered(line: Line, lines: Sequence[Line], row: Row) -> str:
    """Return on how many of a split's questions the graph does not cover the gold."""
    n = int(sweep_of(row["table"])[row.get("split", "test")])
    return f"{n - int(line['n'])} of {n}"


SHOWS: Mapping[str, Callable[[Line, Sequence[Line], Row], str]] = {
    "outcomes": outcomes,
    "uncovered": uncovered,
}
"""What a row with ``shows`` has in place of a value."""


def printed(row: Row, value: str, text: str) -> str:
    """Return a row's value with the text that was printed beside it."""
    found = [f"{row[value]:.1f}"] if value in row else []
    return "; ".join([*found, *filter(None, [row.get(text)])])


def difference(row: Row) -> str:
    """Return ours less the published value, with an interval if both are shares of questions."""
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
    """Return the experiments with their sources; those of the four papers come first."""
    words = [name.split()[0].partition("-")[0] for name in first]
    found = []
    for name in names("experiment"):
        paths = (folder / f"experiment/{name}.yaml" for folder in folders())
        text = next(path for path in paths if path.is_file()).read_text(encoding="utf-8")
        source = str(yaml.safe_load(text)["experiment"]["source"])
        place = next((at for at, word in enumerate(words) if source.startswith(word)), len(words))
        found.append((place, name, source))
    return [(f"`{name}`", source) for _, name, source in sorted(found)]
