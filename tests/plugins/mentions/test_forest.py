"""Trees as plain lists: they add up to what scikit-learn says, and do not depend on the threads."""

import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from harness.plugins.mentions.forest import add_leaves, grow

KNOBS = {"trees": 12, "depth": 3, "rate": 0.2, "least": 10}


def data(n=600):
    random = np.random.default_rng(5)
    rows = random.random((n, 4)).astype(np.float32)
    return rows, (rows[:, 0] > 0.6) & (rows[:, 1] < 0.5) | (random.random(n) < 0.05)


def test_leaves_add_up_to_the_classifier():
    """scikit-learn's own log-odds, but for the constant that it starts from."""
    rows, labels = data()
    theirs = HistGradientBoostingClassifier(
        max_iter=12,
        max_depth=3,
        max_leaf_nodes=None,
        learning_rate=0.2,
        min_samples_leaf=10,
        early_stopping=False,
    ).fit(rows, labels)
    start = np.log(labels.mean() / (1 - labels.mean()))
    ours = add_leaves(rows, grow(rows, labels, **KNOBS))
    assert ours + start == pytest.approx(theirs.decision_function(rows), abs=1e-6)


def test_a_tree_of_one_cut_by_hand():
    """Ten rows, four of them wanted: p = .4, a wanted row pulls by 1 / p = 2.5, another by -1 / (1
    - p) = -5 / 3.
    """
    rows = np.arange(10, dtype=np.float32)[:, None]
    (tree,) = grow(rows, np.arange(10) >= 6, trees=1, depth=1, rate=0.5, least=1)
    assert [row[2] for row in tree] == [1, -1, -1]
    assert tree[0][:2] == [0, 5.5]
    assert [tree[1][4], tree[2][4]] == pytest.approx([-5 / 6, 1.25], abs=1e-6)


@pytest.mark.slow
def test_the_same_bits_by_one_thread_and_by_two():
    code = (
        "from tests.plugins.mentions.test_forest import data, grow, KNOBS; import hashlib, json; "
        "print(hashlib.sha256(json.dumps(grow(*data(30_000), **KNOBS)).encode()).hexdigest())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "OMP_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(found) == 1
