"""Natural Questions and PopQA, from records in the shapes that HippoRAG 2 publishes."""

import json
from pathlib import Path
from typing import Any

from harness.benchmark.source.upstream import Passages, read_passages
from harness.plugins.collections.dataset.nq import NQ
from harness.plugins.collections.dataset.popqa import PopQA

POPQA = {
    "id": 4222362,
    "subj": "George Rankin",
    "prop": "occupation",
    "obj": "politician",
    "s_wiki_title": "George Rankin",
    "o_wiki_title": "Politician",
    "question": "What is George Rankin's occupation?",
    "possible_answers": '["politician", "political leader"]',
    "o_aliases": '["pol"]',
    "paragraphs": [
        {"title": "Politician", "text": "A politician makes policy.", "is_supporting": True},
        {"title": "Other", "text": "Other text.", "is_supporting": False},
        {
            "title": "George Rankin",
            "text": "George Rankin was a politician.",
            "is_supporting": True,
        },
    ],
}
NQ_REAR = {
    "question": "who got the first nobel prize in physics",
    "reference": ["Wilhelm Conrad Röntgen"],
    "contexts": [
        {"title": "Other", "text": "Other text.", "is_supporting": False},
        {"title": "Nobel", "text": "It went to Röntgen.", "is_supporting": True},
    ],
}


def passages(folder: Path, flagged: Any) -> Passages:
    """Those of a record, as a corpus file of its own."""
    path = folder / "corpus.json"
    path.write_text(json.dumps([{"title": one["title"], "text": one["text"]} for one in flagged]))
    return read_passages(path, "c")


def test_popqa_has_the_subjects_page_first(tmp_path: Path) -> None:
    found = PopQA("popqa", str(tmp_path)).query(POPQA, passages(tmp_path, POPQA["paragraphs"]))
    assert found["supporting_ids"] == ["c-00002", "c-00000"]
    assert found["answers"] == ["politician", "political leader", "pol"]
    assert (found["id"], found["hops"]) == ("4222362", 1)


def test_nq_gets_its_ids_from_its_questions(tmp_path: Path) -> None:
    found = NQ("nq", str(tmp_path)).query(NQ_REAR, passages(tmp_path, NQ_REAR["contexts"]))
    assert (found["id"], found["supporting_ids"]) == ("nq-open-9cfe276ec149b480", ["c-00001"])
