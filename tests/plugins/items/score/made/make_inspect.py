"""Small real logs of inspect_ai, by its own mock model: 8 items of 4 documents; match (C or I) and
a graded scorer.
"""

import tiktoken
from inspect_ai import Task
from inspect_ai import eval as run
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import Score, match, mean, scorer


@scorer(metrics=[mean()])
def overlap():
    async def score(state, target):
        words, wanted = state.output.completion.split(), target.text.split()
        return Score(value=len(set(words) & set(wanted)) / len(wanted))

    return score


class Words:
    def encode(self, text, **_):
        return text.split()


def item(n):
    return Sample(
        id=f"item{n}",
        input=f"Question {n}?",
        target=f"answer {n}",
        metadata={"document": f"doc{n // 2}"},
    )


tiktoken.get_encoding = tiktoken.encoding_for_model = lambda *_: (
    Words()
)  # its table is downloaded otherwise
SYSTEMS = {
    "good": [{0, 1, 2, 3, 4, 5}],
    "base": [{0, 6}],
    "twice": [{0, 1, 2, 3, 4, 5}, {0, 1, 2, 3}],
}
for name, right in SYSTEMS.items():
    answers = [
        f"answer {n}" if n in found else "the answer is unknown"
        for found in right
        for n in range(8)
    ]
    outputs = [ModelOutput.from_content("mockllm/model", answer) for answer in answers]
    for form in ("eval", "json"):
        run(
            Task(dataset=[item(n) for n in range(8)], scorer=[match(), overlap()], name="small"),
            model=get_model("mockllm/model", custom_outputs=list(outputs)),
            log_dir=f"made/{name}-{form}",
            log_format=form,
            max_samples=1,
            max_connections=1,
            epochs=len(right),
        )
