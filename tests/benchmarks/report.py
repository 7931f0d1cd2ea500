"""reports/benchmarks.json and the table in reports/benchmarks.md, both made from the rows that are
there.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.core.resources import describe_machine

KEPT = 3
"""Ratios of a row that are kept, so that a fall is seen."""
TRIED = Path(__file__).with_name("tried.md")
"""What was tried and did not help, kept with the sources."""


def add(folder: Path, name: str, row: Mapping[str, Any]) -> None:
    """Put one row in, with its last ratios; the others stay."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "benchmarks.json"
    rows = json.loads(path.read_text()) if path.is_file() else {}
    last = rows.get(name, {}).get("last", [])
    if "ratio" in row:
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        cpu = describe_machine()["hardware"]["cpu"].get("model", "")
        last = [*last, {"ratio": row["ratio"], "date": today, "cpu": cpu}][-KEPT:]
    rows[name] = {**row, "last": last}
    path.write_text(json.dumps(dict(sorted(rows.items())), indent=2) + "\n")
    (folder / "benchmarks.md").write_text(page(rows))


def page(rows: Mapping[str, Mapping[str, Any]]) -> str:
    lines = [
        "# Benchmarks",
        "",
        "Made by `make measure JOB=bench`. Each row: both sides checked for the same result, warmed up, "
        "taken in turn; medians.",
        "A ratio is the peer's time over ours; its range is over the turns. Load is the "
        "machine's before and after. The last ratios, oldest first, are of this folder; on another "
        "machine they differ.",
        "",
        "| benchmark | ours (s) | peer (s) | ratio (range) | of processor seconds | aim | met | "
        "last ratios | peer | load |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, row in sorted(rows.items()):
        if "ratio" not in row:
            continue
        low, high = row["ratio_range"]
        cells = (
            name,
            f"{row['ours_s']:.4g}",
            f"{row['peer_s']:.4g}",
            f"{row['ratio']:.3g} ({low:.3g} to {high:.3g})",
            f"{row['ratio_cpu']:.3g}" if row.get("ratio_cpu") else "",
            f">= {row['aim']:.3g}",
            "yes" if row["met"] else "no",
            ", ".join(f"{one['ratio']:.3g}" for one in row["last"]),
            row["peer"],
            " to ".join(f"{load:g}" for load in row["load"]),
        )
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "## What each one does", ""]
    lines += [
        f"- `{name}`: {row['work']}. Same: {row['same']}.{_peak(row)}"
        for name, row in sorted(rows.items())
        if "same" in row
    ]
    if "growth" in rows:
        lines += ["", "## Growth", "", *rows["growth"]["lines"]]
    return "\n".join([*lines, "", TRIED.read_text()])


def _peak(row: Mapping[str, Any]) -> str:
    if "peak_bytes" not in row:
        return ""
    return (
        f" Peak memory {row['peak_bytes'] / 2**30:.2f} GiB (aim: below "
        f"{row['peak_aim'] / 2**30:.2f})."
    )
