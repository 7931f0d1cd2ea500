"""``python -m tests.benchmarks [name ...] [--quick] [--repeats N]``: to reports/benchmarks.json and
.md.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
import time
from pathlib import Path

from tests.benchmarks import cases, growth, report
from tests.benchmarks.measure import REPEATS, run

APART = ("workers",)
"""Measured by name alone: some 20 minutes."""


def names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(cases.__path__))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="name",
        help=f"of {', '.join(names())} (all but {', '.join(APART)} if none), or growth alone",
    )
    parser.add_argument(
        "--quick", action="store_true", help="small work: shows that it runs; nothing is written"
    )
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--out", type=Path, default=Path("reports"))
    parser.add_argument(
        "--passages", type=int, nargs="+", default=growth.SIZES, help="sizes of growth's worlds"
    )
    parser.add_argument(
        "--worlds", nargs="+", choices=growth.WORLDS, default=growth.WORLDS, help="which of them"
    )
    given = parser.parse_args()
    if given.names == ["growth"]:
        return growth.main(given.out, given.passages, given.worlds)
    if unknown := sorted(set(given.names) - set(names())):
        parser.error(f"no benchmark {unknown[0]}; there are {', '.join(names())}")
    failed = []
    begun = time.monotonic()
    for name in given.names or [name for name in names() if name not in APART]:
        try:
            for key, case in made(name, given.quick).items():
                row = run(case, given.repeats if not given.quick else 1)
                print(
                    f"{key:14} ours {row['ours_s']:.4g} s, peer {row['peer_s']:.4g} s, ratio "
                    f"{row['ratio']:.4g}"
                    f" (aim {row['aim']:g}), load {row['load']}; {row['same']}",
                    flush=True,
                )
                if not given.quick:
                    report.add(given.out, key, row)
        except Exception as error:  # the other benchmarks are measured all the same
            failed.append(name)
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        print(
            f"{name}: {time.monotonic() - begun:.0f} s from the start", file=sys.stderr, flush=True
        )
    sys.exit(bool(failed))


def made(name: str, quick: bool) -> dict:
    """The cases of a module, by the key of their row."""
    found = importlib.import_module(f"{cases.__name__}.{name}").case(quick)
    return found if isinstance(found, dict) else {name: found}


if __name__ == "__main__":
    main()
