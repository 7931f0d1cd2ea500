"""The calibration of the harness: a table of rates, and a figure of false findings and of power."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from harness.report.figure import COLORS, Picture
from harness.report.sheet import Sheet
from harness.sweep.calibration import Rates

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BARS = {
    "naive": "best of {trials},\nsame queries",
    "holm": "any, Holm",
    "maximum": "any, max p",
    "protocol": "protocol:\ntest once",
}


def table(rates: Sequence[Rates]) -> Sheet:
    """A row a kind of world. Permuted worlds share one split of the same queries, so they cannot judge a forecast."""
    names = (*BARS, "planted", "covered")
    head = ("world", "effect", "worlds", "n", "best judged on tune", "Holm on tune", "max p on tune",
            "winner on test", "planted on test", "stated power", "inside forecast")  # fmt: skip
    rows = []
    for rate in rates:
        shares = {name: rate.share(name)[0] for name in names}
        planted = (shares["planted"], rate.power) if rate.effect else (None, None)
        found = [shares[name] for name in BARS]
        covered = None if rate.world == "permuted" else shares["covered"]
        rows.append([rate.world, rate.effect, rate.worlds, rate.n, *found, *planted, covered])
    return Sheet(f"share of worlds with a significant finding (p <= .05), {rates[0].trials} trials", head, rows)


def picture(rates: Sequence[Rates], dataset: str) -> Picture:
    """Left: false findings with and without the protocol. Right: found effects against the stated power."""
    false = [rate for rate in rates if rate.effect == 0]
    caption = (
        f"The harness judged by itself, on outcomes of {rates[0].trials} trials on {dataset}. Left: worlds in which "
        f"nothing helps ({', '.join(f'{rate.worlds} {rate.world}' for rate in false)}): share with a finding at p <= "
        ".05, with 95% intervals; the dashed line is 5%. Right: one trial planted with a known effect: how often the "
        "protocol finds its winner better, how often the planted trial is, and the exact McNemar test's power."
    )

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2, width_ratios=[5, 4])
        _false(left, false)
        _power(right, [rate for rate in rates if rate.world != "permuted"])

    return Picture("calibration", caption, draw, 2.4)


def stored(runs: Path, dataset: str) -> list[Picture]:
    """The picture of the calibration that `harness calibrate` has left for a dataset; none before."""
    path = runs / "calibrations" / f"{dataset}.json"
    if not path.is_file():
        return []
    return [picture([Rates(**rate) for rate in json.loads(path.read_text())["rates"]], dataset)]


def _false(axes: Axes, rates: Sequence[Rates]) -> None:
    for number, rate in enumerate(rates):
        for place, name in enumerate(BARS):
            share, low, high = (100 * value for value in rate.share(name))
            axes.bar(
                place + 0.38 * number, share, 0.36, color=COLORS[number], label=rate.world if place == 0 else None,
                yerr=[[share - low], [high - share]], error_kw={"linewidth": 0.7},
            )  # fmt: skip
    axes.axhline(5, color="black", linewidth=0.7, linestyle="--")
    labels = [text.format(trials=rates[0].trials if rates else "") for text in BARS.values()]
    axes.set_xticks(range(len(BARS)), labels, rotation=35, ha="right", fontsize=6)
    axes.set_ylabel("false findings (%)")
    axes.legend(fontsize=6)


def _power(axes: Axes, rates: Sequence[Rates]) -> None:
    effects = [100 * rate.effect for rate in rates]
    axes.plot(effects, [100 * rate.power for rate in rates], color="black", linestyle="--", label="stated power")
    for name, label, marker in (("planted", "planted trial", "s"), ("protocol", "winner", "o")):
        shares = [[100 * value for value in rate.share(name)] for rate in rates]
        errors = [[share - low for share, low, _ in shares], [high - share for share, _, high in shares]]
        color = COLORS[1] if name == "planted" else COLORS[0]
        found = [share for share, _, _ in shares]
        axes.errorbar(effects, found, yerr=errors, marker=marker, color=color, linewidth=0.9, label=label)
    axes.set_xlabel("true effect (points)")
    axes.set_ylabel("found on test (%)")
    axes.set_ylim(0, 102)
    axes.legend(fontsize=6)
