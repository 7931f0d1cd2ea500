"""Exports that are still due: noted before they begin, forgotten when they are done, made good by a later command."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.core.errors import HarnessError
from harness.core.files import write_json
from harness.core.identity import digest
from harness.report.tracking import Export, Tracking
from harness.sweep.folder import LOCK

FOLDER, ANSWERS = "untracked", "answers"


def track(tracking: Tracking, runs: Path, export: Export) -> None:
    """Export, then what earlier commands could not export to the same place.

    When the tracker cannot be reached, one line on standard error says so, and the export stays noted.
    """
    if not tracking.destination:
        return
    try:
        remember(tracking, runs, export)
        link = tracking.export(export)
        forget(tracking, runs, export)
        export_all(tracking, runs, due(tracking, runs))
    except HarnessError as error:
        print(
            f"not tracked: {error}; results are kept, the next command or `harness track` exports them", file=sys.stderr
        )
    else:
        print(f"tracked: {link}", file=sys.stderr)


def finished(runs: Path, sweep: str | Sequence[str]) -> list[Export]:
    """What a tracker shall hold: sweeps by their folders, or ``all`` sweeps and answers, the oldest first."""
    if sweep != "all":
        return [Export(Path(one)) for one in ([sweep] if isinstance(sweep, str) else sweep)]
    found = [path.parent for path in (runs / "sweeps").glob(f"*/{LOCK}")]
    found += (runs / ANSWERS).glob("*.json")
    return [Export(path.resolve()) for path in sorted(found, key=lambda path: (path.stat().st_mtime, path))]


def export_all(tracking: Tracking, runs: Path, exports: Sequence[Export]) -> list[str]:
    """Export each; returns their links. What cannot be exported is said on standard error, and the others go on."""
    links: list[str] = []
    for export in exports:
        try:
            links.append(tracking.export(export))
            forget(tracking, runs, export)
        except HarnessError as error:
            print(f"not tracked: {export.path.name}: {error}", file=sys.stderr)
    return links


def due(tracking: Tracking, runs: Path) -> list[Export]:
    """What is noted for the tracker's destination; a note of what is gone is removed."""
    found = list(_missed(tracking, runs))
    for export in found:
        if not export.path.exists():
            forget(tracking, runs, export)
    return [export for export in found if export.path.exists()]


def remember(tracking: Tracking, runs: Path, export: Export) -> None:
    """Note an export that is about to be made, so that it is not lost when this process is killed."""
    content = {name: value and str(value) for name, value in vars(export).items()}
    if tracking.destination:
        write_json(_note(tracking, runs, export), {"destination": tracking.destination, **content})


def forget(tracking: Tracking, runs: Path, export: Export) -> None:
    """Remove the note of an export that is done."""
    _note(tracking, runs, export).unlink(missing_ok=True)


def _missed(tracking: Tracking, runs: Path) -> Iterator[Export]:
    for path in sorted((runs / FOLDER).glob("*.json")):
        try:
            note = json.loads(path.read_text(encoding="utf-8"))
            export = Export(Path(note["path"]), Path(note["report"]) if note["report"] else None, note["report_sha256"])
            wanted = note["destination"] == tracking.destination
            export.path.exists()  # which a name that is too long is not asked for
        except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise HarnessError(f"{path}: not a note of an export that is due ({error!r:.200}); remove it") from error
        if wanted:
            yield export


def _note(tracking: Tracking, runs: Path, export: Export) -> Path:
    name = digest([tracking.destination, str(export.path), str(export.report)])[:16]
    return runs / FOLDER / f"{name}.json"
