"""A board's pages: one file for each benchmark and a first page of all, each whole in itself, opened from disk."""

from __future__ import annotations

import base64
import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from harness.benchmark.source import sample_note
from harness.core import escape
from harness.core.concepts import package_folder
from harness.core.files import write_text
from harness.core.identity import code_version
from harness.core.table import Column, Table, percent
from harness.evaluation.metric import groups
from harness.plugins.exchange.board.judging import Standing
from harness.plugins.exchange.board.published import Figure, read_published
from harness.plugins.exchange.board.repository import TEMPLATES, Board, Collection, copies, note_looks, notes
from harness.plugins.exchange.board.scoring import Scored
from harness.report.display import Display
from harness.report.site import json_value, packed_ranks, packed_scores, table

log = logging.getLogger(__name__)

SCRIPTS = ("core.js", "statistic.js", "table.js", "route.js")
NONE = "none"


def build(board: Board, out: Path, looks: str | None = None) -> list[Path]:
    """Write the pages of a board below ``out``; the first page is the last of the files that are returned.

    looks: the file of looks at test. Submissions that are refused are listed with the reason. Files of benchmarks that
    the board no longer has stay where they are.
    """
    figures = read_published(board.folder)
    scored, refused = board.open_all()
    same = copies(scored)
    if refused:
        log.warning("%d submissions are refused, `harness board check` says why: %s", len(refused), ", ".join(refused))
    refusals = [[name, reason] for name, reason in refused.items()]
    shown, written = [], []
    for name in board.benchmarks:
        mine = [one for one in scored if one.submission.card.benchmark == name]
        if not mine:
            continue
        note_looks(board, [name], "board build", looks)
        leaderboard, detail = _benchmark(board, board.collection(name), mine, same)
        shown.append(leaderboard)
        published = _published([figure for figure in figures if figure.benchmark == name])
        own = {"boards": [leaderboard], "detail": detail, "refused": refusals, "published": published}
        written.append(_write(out / str(leaderboard["file"]), f"{name}: run exchange", own))
    content: dict[str, object] = {
        "boards": shown,
        "detail": None,
        "refused": refusals,
        "published": _published(figures),
    }
    return [*written, _write(out / "index.html", "Run exchange", content)]


def _benchmark(
    board: Board, collection: Collection, scored: list[Scored], same: Mapping[str, Sequence[str]]
) -> tuple[dict[str, object], dict[str, object]]:
    """The leaderboard of a benchmark, and what its own page has beside it."""
    gold = collection.gold.split(board.split)
    values = board.metric(np.stack([one.on(board.split) for one in scored]))
    counted = ~np.isnan(values[0])
    order = sorted(
        range(len(scored)), key=lambda place: (-values[place][counted].mean(), scored[place].submission.name)
    )
    scored = [scored[place] for place in order]
    ranks = np.stack([one.on(board.split)[counted] for one in scored])
    standing = Standing(board.metric, ranks, gold.clusters()[counted])
    members = np.flatnonzero(counted).tolist()
    leaderboard = {
        "name": gold.source,
        "file": f"{gold.source}.html",
        "sha256": collection.benchmark.sha256,
        "sample": sample_note(gold.source, collection.benchmark.sha256),
        "metric": str(board.metric),
        "split": board.split,
        "n": len(members),
        "clusters": len(np.unique(standing.labels)),
        "pairs": len(standing.pairs),
        "table": _leaderboard(board, standing, scored),
        "facts": [_facts(one, same) for one in scored],
    }
    detail = {
        "groups": _groups(standing, gold.take(members)),
        "pairs": _pairs(standing),
        "different": [np.flatnonzero(row).tolist() for row in standing.different],
        "scores": packed_scores(standing.values),
        "ranks": packed_ranks(ranks),
        "hops": int(ranks.shape[2]),
        **_questions(collection, gold.take(members).query_ids),
    }
    return leaderboard, detail


def _leaderboard(board: Board, standing: Standing, scored: Sequence[Scored]) -> dict[str, object]:
    unshown = (~standing.different).sum(axis=1) - 1
    tune = [board.metric(one.on("tune")) for one in scored]
    columns = [
        Column("system", "text"), Column("team", "text"), Column(f"{board.metric} %"),
        Column(f"95% of {board.metric}", "interval", f"{board.metric} %"), Column("not shown to differ from", "count"),
        *(Column(f"{metric} %") for metric in board.metrics), Column("tune %"), Column("encoder", "text"),
        Column("language models", "text"), Column("fitted on it", "text"),
    ]  # fmt: skip
    others = [standing.scores_on(metric) for metric in board.metrics]
    rows = []
    for place, one in enumerate(scored):
        card, known = one.submission.card, tune[place][~np.isnan(tune[place])]
        rows.append([
            card.title, card.team, float(standing.values[place].mean()), standing.intervals[place],
            int(unshown[place]), *(column[place] for column in others),
            float(known.mean()) if len(known) and board.split != "tune" else None, card.encoder,
            ", ".join(card.language_models) or NONE, "yes" if card.own_data else "no",
        ])  # fmt: skip
    return table(Table("leaderboard", "Leaderboard", columns, rows), Display())


def _facts(one: Scored, same: Mapping[str, Sequence[str]]) -> dict[str, object]:
    """What the card says, each as a name and a text; and what is said of the lists."""
    card = one.submission.card
    said = {
        "submission": one.submission.name, "system": card.system, "version": card.version, "team": card.team,
        "code": f"{card.code} {card.commit}".strip(), "encoder": card.encoder,
        "language models": ", ".join(card.language_models) or NONE, "trained on": ", ".join(card.trained_on) or NONE,
        "fitted on": ", ".join(card.fitted_on) or NONE, "cost": card.cost, "licence": card.licence,
    }  # fmt: skip
    return {
        "title": card.title,
        "encoder": card.encoder,
        "models": bool(card.language_models),
        "own": card.own_data,
        "card": [[name, text] for name, text in said.items() if text],
        "notes": notes(one, same[one.submission.name]),
    }


def _groups(standing: Standing, gold: Any) -> list[dict[str, object]]:
    """The queries of each hop count and type: a name, how many, and each system's score in percent."""
    found = []
    for title, labels in (("hops", gold.hops), ("type", gold.types)):
        for label, members in groups(labels).items():
            scores = [percent(float(one[members].mean())) for one in standing.values]
            found.append({"name": f"{title} {label}", "n": len(members), "scores": scores})
    return found


def _pairs(standing: Standing) -> list[list[Any]]:
    """``[first, second, wins, losses, points, low, high, p by cluster, Holm p]`` of each pair."""
    found = []
    for pair in standing.pairs:
        one = pair.compared
        low, high = one.interval or (None, None)
        numbers = [None if value is None else round(100 * value, 2) for value in (one.difference, low, high)]
        ps = [None if p is None else float(f"{p:.3g}") for p in (one.p_deciding, one.p_holm)]
        found.append([pair.first, pair.second, one.wins, one.losses, *numbers, *ps])
    return found


def _questions(collection: Collection, ids: Sequence[str]) -> dict[str, object]:
    """The questions' ids and texts, and their supporting passages, each once."""
    data, gold = collection.benchmark, collection.gold
    places = {name: place for place, name in enumerate(gold.query_ids)}
    titles = dict(zip(data.doc_ids.to_pylist(), data.corpus["title"][:], strict=True))
    own = [gold.supporting[places[name]] for name in ids]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(doc for docs in own for doc in docs))}
    return {
        "ids": list(ids),
        "questions": [data.questions[places[name]] for name in ids],
        "gold": [[numbers[doc] for doc in docs] for docs in own],
        "passages": [[doc, titles[doc]] for doc in numbers],
    }


def _published(figures: Sequence[Figure]) -> list[list[str]]:
    """A row for each printed figure, in percent."""
    return [
        [one.system, one.benchmark, one.metric, percent(one.figure), one.sample, one.source] for one in figures
    ]  # fmt: skip


def _write(path: Path, title: str, content: Mapping[str, object]) -> Path:
    """A page with its style, script and data inside; its policy allows this script alone, and no address."""
    site = package_folder("reports/templates") / "site"
    scripts = [*(site / name for name in SCRIPTS), TEMPLATES / "board.js"]
    script = "\n".join(path.read_text(encoding="utf-8") for path in scripts)
    data = json.dumps(json_value({**content, "version": code_version()}), ensure_ascii=False, allow_nan=False)
    page = Template((TEMPLATES / "page.html").read_text(encoding="utf-8"))
    text = page.substitute(
        title=escape.html(title),
        style=(site / "site.css").read_text(encoding="utf-8"),
        data=data.replace("<", "\\u003c"),
        script=script,
        hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )
    write_text(path, text)
    return path
