"""The evidence triples of 2WikiMultiHopQA as a knowledge graph, with its answers as gold
entities.
"""

from __future__ import annotations

import itertools
import json
import logging
from dataclasses import dataclass
from pathlib import Path

from harness.benchmark import Benchmark
from harness.benchmark.dataset import Dataset
from harness.benchmark.source.card import read_card
from harness.benchmark.source.records import Record, Records
from harness.core.errors import HarnessError
from harness.plugins.dice.dataset.knowledge import Triple, answering, knowledge, spaced
from harness.work.store import Store

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class WikiTriples:
    """The graph of all questions' evidence: (subject, relation, object), each once.

    Gold are the entities whose name answers (``answering``). Questions without evidence, and those
    that no entity answers (yes and no), are left out. An entity's text is the passage with its name
    as title, up to white space and case; an entity without one has only its name.

    Args:
        card: name of the card.
        source: the benchmark whose questions have ``decomposition`` with ``subject, relation,
            object``.
    """

    card: str
    source: Dataset

    def load(self, store: Store) -> Benchmark:
        """Return the benchmark."""
        card, source = read_card(self.card), self.source.load(store)
        corpus, rows = source.corpus[:], list(source.queries)
        evidences = zip(rows, map(_evidence, rows), strict=True)
        asked = [(row, evidence) for row, evidence in evidences if evidence]
        if not asked:
            raise HarnessError(
                f"benchmark {source.name}: no question carries evidence triples (decomposition "
                "with subject, relation, "
                f"object); {card.name} needs a source that does"
            )
        every = [triple for _, evidence in asked for triple in evidence]
        entities = dict.fromkeys(end for subject, _, object_ in every for end in (subject, object_))
        named: dict[str, list[str]] = {}
        for entity in entities:
            named.setdefault(answering(entity), []).append(entity)
        queries = []
        for row, evidence in asked:
            gold = (named.get(answering(answer), []) for answer in row["answers"])
            fields = {key: row[key] for key in ("id", "question", "answers", "type")}
            names = list(dict.fromkeys(itertools.chain(*gold)))
            queries.append({**fields, "gold": names, "hops": len(evidence)})
        passages = zip(corpus["title"], corpus["text"], strict=True)
        known = {spaced(title).casefold(): text for title, text in passages}
        snippets = {
            entity: known[entity.casefold()]
            for entity in sorted(entities)
            if entity.casefold() in known
        }
        records = Records(Path(source.name), queries, range(len(queries)), ": question ")
        benchmark, unanswered = knowledge(card.name, every, records, snippets, card.chain)
        log.info(
            "%r: %d questions without evidence and %d that no entity answers are left out",
            benchmark,
            len(rows) - len(asked),
            unanswered,
        )
        return card.named(benchmark, source.name)


def _evidence(row: Record) -> list[Triple]:
    """Return the triples of a question, in its order."""
    steps = json.loads(row["extra"]).get("decomposition") or []
    return [
        (spaced(s["subject"]), spaced(s["relation"]), spaced(s["object"]))
        for s in steps
        if "relation" in s
    ]
