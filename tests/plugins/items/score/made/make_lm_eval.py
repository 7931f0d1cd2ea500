"""Small real samples of lm-evaluation-harness: a local task of 8 documents with two filters, a
model of a few lines.
"""

import json
from pathlib import Path

import lm_eval
from lm_eval.api.model import LM
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager

DOCS = [{"question": f"Question {n}?", "answer": f"answer {n}"} for n in range(8)]
Path("task").mkdir(exist_ok=True)
Path("task/docs.jsonl").write_text("".join(json.dumps(doc) + "\n" for doc in DOCS))
Path("task/small.yaml").write_text("""task: small
dataset_path: json
dataset_kwargs: {data_files: {test: task/docs.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: "{{answer}}"
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
filter_list:
  - {name: strict, filter: [{function: take_first}]}
  - {name: flexible, filter: [{function: regex, regex_pattern: "(answer \\\\d)"}, {function: take_first}]}
metadata: {version: 1}
""")


class Own(LM):
    def __init__(self, right, loose):
        super().__init__()
        self.right, self.loose = right, loose

    def generate_until(self, requests, **_):
        return [self.answer(int(one.args[0].split()[1].rstrip("?"))) for one in requests]

    def answer(self, n):
        if n in self.right:
            return f"answer {n}"
        return f"It is answer {n}." if n in self.loose else "unknown"

    def loglikelihood(self, requests):
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


for name, right, loose in (("good", {0, 1, 2, 3, 4}, {5}), ("base", {0, 6}, {1})):
    tasks = TaskManager(include_path="task")
    found = lm_eval.simple_evaluate(
        Own(right, loose), tasks=["small"], task_manager=tasks, bootstrap_iters=0
    )
    samples = found.pop("samples")
    tracker = EvaluationTracker(output_path=f"made/{name}")
    tracker.save_results_aggregated(results=found, samples=samples)
    tracker.save_results_samples(task_name="small", samples=samples["small"])
