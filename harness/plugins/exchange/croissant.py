"""A benchmark as two plain files with a Croissant description, so that others load it without this harness.

Croissant 1.0 (MLCommons, https://docs.mlcommons.org/croissant/docs/croissant-spec.html) is JSON-LD: what the data are,
their licence and citation, their files with SHA-256, and the fields of their records.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from harness.benchmark.records import PASSAGE, QUESTION, passage_records, question_records, write_records
from harness.core.errors import HarnessError
from harness.core.files import make_folder, write_text
from harness.core.identity import file_sha256
from harness.core.input import numbered_lines, read_json
from harness.core.table import counted

if TYPE_CHECKING:
    from harness.benchmark.benchmark import Benchmark
    from harness.benchmark.source import Card

CROISSANT = "croissant.json"
FILES = {"passages": "corpus.jsonl", "questions": "queries.jsonl"}
TERMS = (
    "citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty", "fileSet", "format",
    "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex",
    "repeated", "replace", "samplingRate", "separator", "source", "subField", "transform",
)  # fmt: skip
CONTEXT: Mapping[str, object] = {
    "@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/", "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/", "conformsTo": "dct:conformsTo", **{name: f"cr:{name}" for name in TERMS},
    **{name: {"@id": f"cr:{name}", "@type": "@json"} for name in ("data", "examples")},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
}  # fmt: skip
"""The standard's own, whole, as its validator expects it."""
FIELDS = {"passages": PASSAGE, "questions": QUESTION}
REPEATED = ("answers", "supporting_ids")


def write_croissant(data: Benchmark, folder: Path, card: Card | None = None) -> list[Path]:
    """Write ``corpus.jsonl``, ``queries.jsonl`` (as ``dataset=folder`` reads them) and ``croissant.json``.

    card: source, licence and citation; without one they are left out.
    Raises HarnessError for a benchmark with triples, which the two files cannot hold, and for a folder with such files
    that were not written here.
    """
    if data.triples is not None:
        raise HarnessError(f"{data.name}: its triples have no place in {' and '.join(FILES.values())}; export another")
    for name in FILES.values():
        if (folder / name).exists() and not (folder / CROISSANT).exists():
            raise HarnessError(f"{folder / name}: already there, and no {CROISSANT} beside it; give another folder")
    make_folder(folder)
    for name, rows in {"passages": passage_records(data), "questions": question_records(data)}.items():
        write_records(folder / FILES[name], rows)
    counts = {"passages": len(data.corpus), "questions": len(data.queries)}
    content = _description(data, folder, counts, card)
    write_text(folder / CROISSANT, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    return [*(folder / name for name in FILES.values()), folder / CROISSANT]


def check_croissant(path: Path) -> str:
    """What a file of ``write_croissant`` says of the files beside it, where that is so: one line.

    Raises HarnessError that names what is not so.
    """
    content = read_json(path, f"a {CROISSANT} that `harness data` writes")
    try:
        stated = {one["name"]: one["sha256"] for one in content["distribution"]}
        counts = {one["name"]: int(one["description"].split()[0]) for one in content["recordSet"]}
        name = content["name"]
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise HarnessError(f"{path}: no description that `harness data` writes ({error}); write it again") from error
    for kind, file in FILES.items():
        beside = path.with_name(file)
        if not beside.is_file():
            raise HarnessError(f"{path}: {file} is missing beside it; run `harness data` again")
        found = sum(1 for _ in numbered_lines(beside))
        if (count := counts.get(kind)) != found:
            raise HarnessError(f"{beside}: has {found} {kind}, and {path.name} says {count}; run `harness data` again")
        if (sha256 := file_sha256(beside)) != stated.get(file):
            raise HarnessError(
                f"{beside}: sha256 is {sha256}, and {path.name} says {stated.get(file)}; run `harness data` again"
            )
    passages, questions = counted(counts["passages"], "passage"), counted(counts["questions"], "question")
    return f"{path}: {name}, {passages}, {questions}, hashes as it says"


def _description(data: Benchmark, folder: Path, counts: Mapping[str, int], card: Card | None) -> dict[str, object]:
    unknown = "" if data.ordered.all() else "; where `ordered` is false their order is unknown"
    known = {"description": f"{data.name}: questions with their supporting passages in hop order{unknown}."}
    if card:
        known |= {"license": card.licence, "citeAs": card.citation.strip(), "url": card.source.partition(";")[0]}
        known["description"] += f" {card.note.strip()}"
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": data.name,
        **known,
        "identifier": f"sha256:{data.sha256}",
        "distribution": [_file(folder / name) for name in FILES.values()],
        "recordSet": [_records(name, count) for name, count in counts.items()],
    }


def _file(path: Path) -> dict[str, object]:
    return {
        "@type": "cr:FileObject", "@id": path.name, "name": path.name, "contentUrl": path.name,
        "contentSize": f"{path.stat().st_size} B", "encodingFormat": "application/jsonlines",
        "sha256": file_sha256(path),
    }  # fmt: skip


def _records(name: str, count: int) -> dict[str, object]:
    fields = []
    for field in FIELDS[name]:
        kind = "Integer" if field == "hops" else "Text"
        source = {"fileObject": {"@id": FILES[name]}, "extract": {"column": field}}
        one: dict[str, object] = {
            "@type": "cr:Field",
            "@id": f"{name}/{field}",
            "name": field,
            "dataType": f"sc:{kind}",
        }
        fields.append({**one, **({"repeated": True} if field in REPEATED else {}), "source": source})
    return {"@type": "cr:RecordSet", "@id": name, "name": name, "description": f"{count} {name}",
            "key": {"@id": f"{name}/id"}, "field": fields}  # fmt: skip
