"""``<runs>/benchmarks.lock.json``: the hash of each published benchmark at its first use; a
difference is an error.

A folder of the user's own is not in it: he may change it. What was locked on other data is refused
all the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.core.errors import HarnessError
from harness.core.files import locked, mend_of, write_json
from harness.core.input import read_json
from harness.work.store import Store

Entry = Mapping[str, object]


@dataclass(frozen=True)
class Lock:
    """What is remembered of the benchmarks that these runs have used: a JSON object by benchmark
    and way in.
    """

    path: Path

    @classmethod
    def of(cls, store: Store) -> Lock:
        """The lock of a store's runs."""
        return cls(store.root / "benchmarks.lock.json")

    def entry(self, key: str) -> Entry | None:
        """What is remembered under ``key``."""
        return self._read().get(key)

    def hold(self, key: str, entry: Entry, what: str) -> None:
        """Remember ``entry`` under ``key``; raise when something else is remembered there. ``what``
        it describes.
        """
        known = self.entry(key)
        if known is None:
            self._write(key, entry)
            known = self.entry(key)
        if known != entry:
            raise HarnessError(
                f"{what} has changed: sha256 {_show(entry)}, but {self.path} holds "
                f"{_show(known)} from its first use; "
                f"restore the files, or, if the change is meant, remove {key!r} from that file "
                "or set paths.runs=DIR"
            )

    def _read(self) -> dict[str, Entry]:
        if not self.path.exists():
            return {}
        expected = (
            "the hash of each benchmark, as it was written; restore the file, or remove it to "
            "start again"
        )
        entries = read_json(self.path, expected)
        if not isinstance(entries, dict) or not all(
            isinstance(entry, dict) for entry in entries.values()
        ):
            raise HarnessError(f"{self.path}: found {str(entries)[:40]!r}, expected {expected}")
        return entries

    def _write(self, key: str, entry: Entry) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with locked(self.path.with_suffix(".lock")):
                entries = {key: entry, **self._read()}
                write_json(self.path, entries)
        except OSError as error:
            raise HarnessError(
                f"{self.path}: cannot write ({error.strerror or error}); "
                f"{mend_of(error, 'set paths.runs=DIR')}"
            ) from error


def _show(entry: Entry | None) -> str:
    values = dict(entry or {})
    return str(
        values.pop("sha256", None)
        if set(values) == {"sha256"}
        else json.dumps(values, sort_keys=True)
    )
