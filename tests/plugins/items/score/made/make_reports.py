"""Small real reports of ranx (``Run.scores``) and pytrec_eval (``evaluate``)."""

import json
from pathlib import Path

import pytrec_eval
from ranx import Qrels, Run, evaluate

QRELS = {f"q{n}": {f"d{n}": 1, f"e{n}": 1} for n in range(8)}
for name, right in (("good", {0, 1, 2, 3, 4, 5}), ("base", {0, 6})):
    lists = {
        q: {**({f"d{n}": 3.0} if n in right else {}), "x": 2.0, f"e{n}": 1.0}
        for n, q in enumerate(QRELS)
    }
    run = Run(lists)
    evaluate(Qrels(QRELS), run, ["ndcg@10", "hit_rate@1"])
    ranx = {
        metric: {query: float(score) for query, score in found.items()}
        for metric, found in run.scores.items()
    }
    Path(f"ranx-{name}.json").write_text(json.dumps(ranx, indent=1))
    judge = pytrec_eval.RelevanceEvaluator(QRELS, {"ndcg_cut.10", "success.1"})
    Path(f"pytrec-{name}.json").write_text(json.dumps(judge.evaluate(lists), indent=1))
