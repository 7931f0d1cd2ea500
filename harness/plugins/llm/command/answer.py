"""Answer questions from retrieved passages, through a language model, and score the answers (EM and
F1).

The reader is any OpenAI-compatible endpoint (conf/reader/llm.yaml). Each run is read at depth k,
together with controls: the question alone, many passages of the first run (context stuffing), and
the supporting passages. EM and F1 are those of SQuAD, best over the gold answers, with 95%
bootstrap intervals over questions; W, L and p (McNemar, exact) count exact matches against
`baseline`, and the F1 difference has a paired interval. If questions share gold passages, p and
intervals are by cluster, and the table's title says so.

  harness answer run=f.trec dataset=2wikimultihopqa reader.model=m reader.base_url=http://127.0.0.1:8000/v1
  harness answer run=f.trec reader.model=gpt-4.1-mini dry_run=true          how many requests and tokens
  harness answer 'run={dense: d.trec, fused: f.trec}' reader.model=m 'k=[2,5]' limit=100 out=answers.json
  harness answer 'run={raptor: r.trec, fused: f.trec}' reader.model=m k=100 tokens=800     a matched budget of words
  harness answer run=f.trec reader.model=m reader.prompt=evidence 'reader.form=[evidence,answer]' baseline=null

Runs are those of `harness evaluate --help`. Every answer of the endpoint is stored: a killed run
continues, and no answer is paid for twice. Unusable answers count as wrong (`unusable`); 20 in a row end the command with an error that shows one. `out` by
its ending: .json (everything, with each question's answers), .csv, .tex, .txt, .html (the table).
Published figures follow in the table, with the differences in setup.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from omegaconf import DictConfig

from harness.command import complete, keep_inputs, print_paths, python_value
from harness.core.errors import HarnessError, one_of, whole_number

if TYPE_CHECKING:
    from harness.benchmark import Splitting
    from harness.plugins.llm.answering.answering import Condition


def run(config: DictConfig) -> None:
    """Read, score, print and write the answers."""
    import textwrap

    from harness.benchmark.split import clusters
    from harness.core.configuration.instantiation import instantiate
    from harness.evaluation.gold import part_name
    from harness.plugins.llm.answering import answer_table, answering
    from harness.report.output import check_ending, write_result
    from harness.run import io as lists
    from harness.run.matching import fit
    from harness.sweep.trial.inputs import store as store_of

    complete(config)
    check_ending(config.out)
    paths = python_value(config.run)
    paths = paths if isinstance(paths, dict) else {"retrieved": str(paths)}
    keep_inputs(config, *paths.values())
    splitting, named = _check(config), _conditions(config, paths)
    against = config.baseline
    if against is not None:
        one_of("baseline", against, [condition.name for condition in named])
    reader, store = instantiate(config.reader), store_of(config)
    data = instantiate(config.dataset).load(store).split_by(splitting, "splitting")
    members = answering.sample_questions(data, config.split, config.limit)
    if not len(members):
        raise HarnessError(f"dataset={data.name}: no question is in split={config.split}")
    gold, labels = answering.gold_answers(data, members), clusters(data.gold[members])
    questions = [data.questions[number] for number in members.tolist()]
    whole = (data.query_ids, data.doc_ids, f"dataset={data.name}")
    runs = {name: fit(lists.read(str(path)), f"run={path}", *whole) for name, path in paths.items()}
    texts = {
        condition.name: answering.contexts(condition, runs, data, members) for condition in named
    }
    if config.dry_run:
        estimates = {
            condition.name: reader.estimate(questions, texts[condition.name]) for condition in named
        }
        print(answer_table.estimate_table(estimates, data.name, len(members)).text())
        print(
            "dry_run: nothing was asked. The estimate has four letters per token, and answers of "
            "the largest length"
        )
        return
    scores = {
        condition.name: answering.judge(
            condition, reader, questions, texts[condition.name], gold, labels, store
        )
        for condition in named
    }
    split = part_name(config.split, splitting)
    result = answer_table.result(
        scores,
        against,
        data,
        members,
        split,
        python_value(config.reader),
        python_value(config.published),
    )
    table = answer_table.table(result)
    written = write_result(config.out, result, table)
    print(table.text())
    for line in answer_table.notes(result):
        print(textwrap.fill(line, 120))
    print_paths(written)


def _check(config: DictConfig) -> Splitting:
    """Return the splitting. Raise HarnessError for an invalid value."""
    from harness.benchmark import SPLITS, read_splitting

    one_of("split", config.split, SPLITS)
    for key in ("limit", "tokens"):
        if config[key] is not None:
            whole_number(key, config[key], 1)
    return read_splitting("splitting", config.splitting)


def _conditions(config: DictConfig, runs: Iterable[str]) -> list[Condition]:
    """Return the conditions: each run at each depth, and the controls."""
    from harness.plugins.llm.answering import answering

    depths = k if isinstance(k := python_value(config.k), list) else [k]
    for depth in depths:
        whole_number("k", depth, 1)
    controls = python_value(config.controls) or {}
    for name, depth in controls.items():
        if name != answering.GOLD_PASSAGES or depth is not None:
            whole_number(f"controls.{name}", depth, 0)
    return answering.conditions(list(runs), depths, controls, config.tokens)
