"""A board of submissions: begin one, check what was submitted, build its pages. Nothing is sent anywhere.

A board is a git repository: a folder for each submission (see `harness submit`), `board.yaml`, and a workflow that
checks every pull request. Each submission is scored again from its lists by passage id, whatever its card claims.

  harness board init DIR                                   a new board, of the benchmark sample
  harness board init DIR benchmarks=[musique,hotpotqa]     of others: names, or folders of prepared files
  harness board check DIR                                  what each submission scores, or why it is refused
  harness board build DIR out=site                         pages that open from disk: site/index.html

check ends with status 2 where a submission is refused: links and further files, other hashes, files that unpack to too
much, damaged lists, ids that the benchmark does not have, lists of supporting passages alone, an incomplete card, and
claims that the lists do not give. What is no reason to refuse is said in a note: questions without a list, short lists,
the lists of another submission. build shows what is not refused, and lists the rest with the reason.
"""

from __future__ import annotations

from pathlib import Path

from omegaconf import DictConfig

from harness.command import complete, python_value, warn_unread
from harness.core.errors import HarnessError, one_of


def run(config: DictConfig) -> None:
    """Begin, check or build."""
    from harness.plugins.exchange.board import Board, build, check, init

    complete(config)
    one_of("action", config.action, ("init", "check", "build"))
    of_others = {"init": ("out",), "check": ("out", "benchmarks", "package"), "build": ("benchmarks", "package")}
    warn_unread(config, f"board {config.action}", *of_others[config.action])
    folder = Path(str(config.dir))
    if config.action == "init":
        print(
            *init(folder, [str(name) for name in python_value(config.benchmarks)], config.package, config.paths),
            sep="\n",
        )
        return
    board = Board.read(folder, config.paths)
    if config.action == "build":
        print(*build(board, Path(str(config.out)), config.paths.looks), sep="\n")
        return
    lines, refused = check(board, config.paths.looks)
    print(*(lines or [f"{folder}: no submission yet"]), sep="\n")
    if refused:
        names = ", ".join(refused[:5]) + (" ..." if len(refused) > 5 else "")
        raise HarnessError(f"{folder}: {len(refused)} submissions are refused ({names}); mend or remove them")
