"""The lists of a configuration: each retriever's run over the benchmark, from
artifacts if stored.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.benchmark import Benchmark
from harness.benchmark.oddity import describe_oddities, find_oddities
from harness.benchmark.split import are_tune_questions, share_gold
from harness.core.artifact import MANIFEST, Facts, read_manifest
from harness.core.configuration import extensions
from harness.core.configuration.conf_files import names
from harness.core.configuration.instantiation import instantiate
from harness.core.errors import HarnessError, closest, described, keys_of
from harness.core.identity import identity
from harness.core.table import counted
from harness.evaluation.id_coverage import apply_own_document
from harness.fusion.context import Context, SourceTexts
from harness.fusion.importance import prior
from harness.graph import Graph
from harness.retriever import Retriever, retrieve
from harness.retriever.trec import Trec
from harness.run import Run
from harness.sweep.trial.trial import Identities, Trial
from harness.work.parts import Unfinished
from harness.work.store import Store, open_shared

log = logging.getLogger(__name__)

if TYPE_CHECKING:
    from omegaconf import DictConfig


def store(config: DictConfig) -> Store:
    """Return the store of this configuration's artifacts."""
    return Store(Path(config.paths.runs), open_shared(config.paths.get("shared")))


def benchmark(config: DictConfig, artifacts: Store | None = None) -> Benchmark:
    """Return the configuration's benchmark with its split, from ``kept`` if given."""
    dataset = instantiate(config.dataset)
    loaded: object = dataset.load(artifacts or store(config))
    if not isinstance(loaded, Benchmark):
        raise HarnessError(
            f"{type(dataset).__name__} gave {described(loaded)}, expected a Benchmark"
        )
    data = dataclasses.replace(loaded, own_document=config.get("own_document", "keep"))
    return data.split_by(config.get("split", "md5"))


def retrievers(config: DictConfig) -> dict[str, Retriever]:
    """Return the retriever of every list; a list that is a path is that run file."""
    check_lists(config)
    by_name = {}
    for name, node in config.lists.items():
        with name_errors(str(name)):
            strategy = _of_file(str(name), node) if isinstance(node, str) else node
            by_name[str(name)] = instantiate(strategy)
    return by_name


def check_lists(config: DictConfig) -> None:
    """Raise HarnessError if ``lists`` has anything but a retriever or a run file under a name.

    A file with its columns, ``{file: a.csv, columns: {...}}``, becomes the retriever that reads it.
    """
    named = config.get("lists")
    if not _is_mapping(named) or not named:
        raise HarnessError(
            f"lists = {named}, expected a retriever or a run file under each name, as in "
            "'lists={dense: d.trec, graph: g.trec}'"
        )
    for name, node in named.items():
        if _is_mapping(node) and "file" in node:
            keys_of(f"lists.{name}", node, ("file", "columns"))
            named[name] = {
                "_target_": "harness.retriever.trec.Trec",
                "path": node["file"],
                "columns": node.get("columns"),
            }
        elif not isinstance(node, str):
            out = f"leave the list out with ~lists.{name}, or " if node is None else ""
            check_strategy(f"lists.{name}", node, " or the path of a run file", out)


def check_strategy(key: str, node: Any, other: str = "", mend: str = "") -> None:
    """Raise HarnessError unless the node of a key is a mapping with ``_target_``, a class's dotted
    name.
    """
    target = node.get("_target_") if _is_mapping(node) else None
    if not isinstance(target, str) or "." not in target:
        raise HarnessError(
            f"{key} = {str(node)[:80]}, expected a strategy of conf/, a mapping with "
            f"_target_{other}; {mend}choose one "
            f"by its name, e.g. {key}=NAME"
        )


def _is_mapping(node: Any) -> bool:
    from omegaconf import OmegaConf

    return bool(OmegaConf.is_dict(node))


def _of_file(name: str, path: str) -> dict[str, object]:
    if not Path(path).exists() and (lacking := extensions.missing_plugin(f"retriever/{path}")):
        raise HarnessError(f"lists.{name}={path} {lacking}")
    if not Path(path).suffix and not Path(path).exists():
        retriever = closest(path, names("retriever")) or "NAME"
        raise HarnessError(
            f"lists.{name}={path}: there is no such file; a retriever is typed as "
            f"'+retriever@lists.{name}={retriever}'"
        )
    return {"_target_": "harness.retriever.trec.Trec", "path": path}


@contextlib.contextmanager
def name_errors(name: str) -> Iterator[None]:
    """Add the list's name to errors of its retriever, which does not know it:
    ``lists.NAME.knob``.
    """
    try:
        yield
    except HarnessError as error:
        error.args = (str(error).replace("lists.NAME.", f"lists.{name}."),)
        raise


def runs(retrievers: Mapping[str, Retriever], data: Benchmark, artifacts: Store) -> dict[str, Run]:
    """Return every list's run over all questions; files of other systems are read before anything
    is built.

    A warning names lists from files that lack questions or have others, and lists that answer fewer
    than half of them. Lists of a benchmark without texts are not stored: its documents are those of
    the files.

    Raises:
        Unfinished: parts of some lists belong to other shares; after all lists were tried.
    """
    lists, unfinished = {}, []
    files_first = sorted(retrievers, key=lambda name: not isinstance(retrievers[name], Trec))
    for name in files_first:
        retriever = retrievers[name]
        try:
            with name_errors(name):
                if data.ids_only:
                    lists[name], facts = retriever.retrieve(data, artifacts)
                else:
                    lists[name] = retrieve(retriever, data, artifacts, f"lists.{name}")
                    facts = _facts(identity(retriever), data, artifacts)
        except Unfinished as error:  # other lists may have parts of this share, too
            unfinished.append(str(error))
            continue
        if isinstance(retriever, Trec):
            missing, unknown = facts.get("queries_missing", 0), facts.get("queries_left_out", 0)
            if missing or unknown:
                log.warning(
                    "lists.%s lacks %d of %d questions of %s (these score 0), and has %s",
                    name,
                    missing,
                    len(data.query_ids),
                    data.name,
                    counted(unknown, "other question"),
                )
        answered = lists[name].answered
        if 2 * answered < len(lists[name]):
            causes = "".join(f"; {line}" for line in describe_oddities(_odd(facts)))
            log.warning(
                "lists.%s: only %d of %d questions have a list%s",
                name,
                answered,
                len(lists[name]),
                causes,
            )
    if unfinished:
        raise Unfinished("; ".join(dict.fromkeys(unfinished)))
    lists = {name: lists[name] for name in retrievers}
    if data.own_document == "drop" or data.ids_only:  # elsewhere a caution on the data says it
        lists = apply_own_document(lists, data.own_document)
    return lists


def _facts(list_identity: Mapping[str, object], data: Benchmark, artifacts: Store) -> Facts:
    """Return the facts of a list, by its identity, that were found when it was made."""
    manifest = read_manifest(
        artifacts.place("retrieve", list_identity, {"benchmark": data.sha256}) / MANIFEST
    )
    return manifest.get("facts", {}) if manifest else {}


def least_scores(retrievers: Mapping[str, Retriever]) -> dict[str, float]:
    """Return the least score that each list's retriever can give, of those that declare it."""
    least = {}
    for name, retriever in retrievers.items():
        inner: Any = retriever
        while not hasattr(inner, "least") and hasattr(inner, "retriever"):
            inner = inner.retriever
        if hasattr(inner, "least"):
            least[name] = float(inner.least)
    return least


def identities(retrievers: Mapping[str, Retriever]) -> Identities:
    """Return the identity of each list by name."""
    return {name: identity(retriever) for name, retriever in retrievers.items()}


def fitted(retrievers: Mapping[str, Retriever], data: Benchmark) -> dict[str, Facts]:
    """Return ``on`` and ``seen`` of every list whose weights were chosen on tune questions.

    ``on`` names the benchmarks. ``seen`` is, by split, the number of questions that share a gold
    passage with one on which the weights were chosen. A retriever without a method of that name is
    assumed to use what an md5 split calls tune; for a benchmark of another name, the questions with
    equal text.
    """
    facts: dict[str, Facts] = {}
    for name, retriever in retrievers.items():
        inner: Any = retriever
        while not hasattr(inner, "fitted_on") and hasattr(inner, "retriever"):
            inner = inner.retriever
        on = list(getattr(inner, "fitted_on", ()))
        if not on:
            continue
        if hasattr(inner, "seen"):
            seen = inner.seen(data)
        else:
            if data.name in on:
                learned_on = dataclasses.replace(data, splitting="md5").members("tune")
            else:
                learned_on = np.flatnonzero(are_tune_questions(data.questions, on))
            seen = share_gold(data.gold, data.gold[learned_on])
        facts[name] = {
            "on": on,
            "seen": {part: int(seen[data.members(part)].sum()) for part in ("tune", "test")},
        }
    return facts


def recalls(identities: Identities, data: Benchmark, artifacts: Store) -> dict[str, Facts]:
    """Return ``index``, ``recall@100`` and number of ``questions`` of every list with an
    approximate index.
    """
    measured = {}
    for name, list_identity in identities.items():
        facts = _facts(list_identity, data, artifacts)
        if "recall" in facts:
            measured[name] = facts["recall"]
    return measured


def oddities(identities: Identities, data: Benchmark, artifacts: Store) -> dict[str, int]:
    """Return the counts of what is odd in the benchmark and its lists, by what they count."""
    odd = {} if data.ids_only else find_oddities(data)
    for name, list_identity in identities.items():
        counts = _odd(_facts(list_identity, data, artifacts))
        odd |= {f"lists.{name}: {label}": count for label, count in counts.items()}
    return odd


def _odd(facts: Facts) -> dict[str, int]:
    """Return the counts above 0 of what is odd in a list, by what they count."""
    return {label: count for label, count in facts.get("odd", {}).items() if count}


def graphs(retrievers: Mapping[str, Retriever]) -> dict[str, Graph]:
    """Return the graph of every list whose retriever walks one."""
    by_list = {name: getattr(retriever, "graph", None) for name, retriever in retrievers.items()}
    return {name: graph for name, graph in by_list.items() if isinstance(graph, Graph)}


def check_without_corpus(readers: Iterable[Trial]) -> None:
    """Raise HarnessError if a fuser or reranker reads more than lists and types of questions."""
    lacking = sorted(_read_by(readers) & {"mentions", "relations", "seeds", "texts"})
    if lacking:
        raise HarnessError(
            f"a fuser or reranker reads {', '.join(lacking)}, and runs with gold= have no corpus; "
            "choose another, or sweep with dataset="
        )


def _read_by(readers: Iterable[Trial]) -> set[str]:
    """Return what the fusers and rerankers read."""
    read: set[str] = set()
    for reader in readers:
        for strategy in (reader.fuser, reader.reranker):
            read |= {*getattr(strategy, "reads", ())}
    return read


def gather_context(readers: Sequence[Trial], config: DictConfig, data: Benchmark) -> Context:
    """Return the further inputs of these readers for all questions of the benchmark."""
    artifacts = store(config)
    wanted = _read_by(readers)
    files = sorted({reader.pool.importance for reader in readers if reader.pool.importance})

    def mentions() -> dict[str, Any]:
        """Return sparse [D, E] by list."""
        from scipy.sparse import csr_array

        return {
            name: csr_array(graph.build(data, artifacts)[0].mentions.T.tocsr(), dtype=np.float64)
            for name, graph in graphs_read(readers, config).items()
        }

    reads: dict[str, Callable[[], Any]] = {
        "types": lambda: data.queries["type"][:],
        "texts": lambda: SourceTexts(data.questions, data.passages, artifacts),
        "seeding": lambda: instantiate(config.seeds).seeding(data, artifacts),
        "relations": lambda: instantiate(config.relations).relations(data, artifacts),
        "mentions": mentions,
    }
    chosen = [field for field in reads if {"seeding": "seeds"}.get(field, field) in wanted]
    if data.ids_only:
        check_without_corpus(readers)
    read = {field: reads[field]() for field in chosen}
    return Context(importance={name: prior(name, data.doc_ids) for name in files}, **read)


def graphs_read(readers: Sequence[Trial], config: DictConfig) -> dict[str, Graph]:
    """Return by list the graphs whose mentions are read; HarnessError for a reader without such a
    list.
    """
    reading = [reader for reader in readers if "mentions" in getattr(reader.reranker, "reads", ())]
    if not reading:
        return {}
    names = {name for reader in reading for name in reader.pool.lists}
    walked = graphs(
        {name: retriever for name, retriever in retrievers(config).items() if name in names}
    )
    for reader in reading:
        if not walked.keys() & set(reader.pool.lists):
            raise HarnessError(
                f"reranker={type(reader.reranker).__module__.rpartition('.')[2]} couples "
                "passages by the entities of a "
                f"graph, and none of pool.lists={list(reader.pool.lists)} has one; add a list "
                "that walks a graph, e.g. "
                "retriever@lists.graph=ppr, or set reranker=none"
            )
    return walked
