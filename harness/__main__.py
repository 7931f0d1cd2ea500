"""The command line: ``harness <command> [Hydra overrides]``. Each command is a module of harness.command."""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import logging
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from harness.configuration import packaged, translated
from harness.errors import HarnessError, nearest
from harness.garbage import seldom

if TYPE_CHECKING:
    from omegaconf import DictConfig

COMMANDS = Path(__file__).parent / "command"
QUIET = (
    "hydra.output_subdir=null",
    "hydra.run.dir=.",
    "hydra.sweep.dir=${paths.runs}/multirun",
    "hydra/job_logging=none",
    "hydra/hydra_logging=none",
)
"""Hydra writes nothing of its own but what a launcher needs, and that below the runs."""
HYDRA_FLAGS = ("multirun", "cfg", "resolve", "package", "info", "hydra-help", "config-dir", "shell-completion")

USAGE = """usage: harness <command> [key=value ...]

{commands}

Every key of conf/ can be set as key=value (or --key value); a list as 'k=[5,10]'.
  harness <command> --help         what it does, with examples
  harness <command> --cfg job      the configuration that it would run with
  harness sweep -m encoder=a,b     one job for each value (Hydra's multirun; hydra/launcher=slurm sends them to Slurm)
"""


def main() -> None:
    """Entry point. Exit status: 0 done, 2 a mistake that the user can mend (one line on stderr), 130 interrupted."""
    command, *arguments = sys.argv[1:] or ["--help"]
    with told():
        if command in ("-h", "--help", "help"):
            print(usage())
        elif command not in commands():
            raise HarnessError(f"harness {command}: no such command{nearest(command, commands())}; try harness --help")
        elif {"-h", "--help"} & set(arguments):
            print(documentation(command).strip())
        else:
            launch(command, arguments)


@contextlib.contextmanager
def told() -> Iterator[None]:
    """Ends the process with one line for what the user can mend, and for an interruption."""
    try:
        yield
    except HarnessError as error:
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        print("interrupted; what was finished is kept, the same command goes on from there", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def commands() -> list[str]:
    """The names of all commands."""
    return sorted(path.stem for path in COMMANDS.glob("*.py") if path.stem != "__init__")


def documentation(command: str) -> str:
    """A command's help: its module's docstring, read without importing it."""
    return ast.get_docstring(ast.parse((COMMANDS / f"{command}.py").read_text(encoding="utf-8"))) or ""


def usage() -> str:
    """The help of ``harness --help``: a line a command."""
    rows = [f"  {name:<10} {documentation(name).partition(chr(10))[0]}" for name in commands()]
    return USAGE.format(commands="\n".join(rows))


def launch(command: str, arguments: list[str]) -> None:
    """Compose the configuration under the arguments and run the command, through Hydra's launcher."""
    seldom()
    import hydra

    logging.basicConfig(format="%(message)s", stream=sys.stderr)
    logging.getLogger("harness").setLevel(logging.INFO)
    os.environ["HYDRA_FULL_ERROR"] = "1"  # errors come to us whole, `translated` says them in one line
    primary = command if (packaged("conf") / f"{command}.yaml").is_file() else "config"
    run = importlib.import_module(f"harness.command.{command}").run

    @functools.wraps(run)
    def job(config: DictConfig) -> None:
        with told():  # here and not outside: Hydra would add a line of its own
            run(config)

    sys.argv = [f"harness {command}", *_overrides(_named(primary, arguments)), *QUIET]
    with translated():
        hydra.main(version_base="1.3", config_path=str(packaged("conf").resolve()), config_name=primary)(job)()


def _named(primary: str, arguments: list[str]) -> list[str]:
    """A first argument that is only a value belongs to the first key without one: ``rerun 3`` is ``rerun trial=3``."""
    text = (packaged("conf") / f"{primary}.yaml").read_text(encoding="utf-8")
    missing = re.search(r"^(\w+): \?\?\?", text, re.MULTILINE)
    if missing and arguments and not re.match(r"[-+~]|[\w.@/]+=", arguments[0]):
        value = arguments[0].replace("'", r"\'")
        return [f"{missing[1]}='{value}'", *arguments[1:]]
    return arguments


def _overrides(arguments: list[str]) -> list[str]:
    """``--split tune`` and ``--split=tune`` mean ``split=tune``; Hydra's own flags and overrides pass as they are."""
    overrides: list[str] = []
    pending = list(arguments)
    while pending:
        argument = pending.pop(0)
        name, equals, value = argument.removeprefix("--").partition("=")
        if not argument.startswith("--") or name in HYDRA_FLAGS:
            overrides.append(argument)
            continue
        if not equals:
            bare = bool(pending) and "=" not in pending[0] and not pending[0].startswith("-")
            value = pending.pop(0) if bare else "true"
        overrides.append(f"{name.replace('-', '_')}={value}")
    return overrides


if __name__ == "__main__":
    main()
