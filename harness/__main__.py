"""The command line: ``harness <command> [Hydra overrides]``. Each command is a module of
harness.command.
"""

from __future__ import annotations

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # the working directory, which `python -m` puts first

import atexit
import contextlib
import functools
import gc
import importlib
import importlib.util
import logging
import os
import traceback
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NoReturn

from harness.command import note_typed
from harness.core.concepts import package_folder
from harness.core.configuration import extensions
from harness.core.errors import HarnessError, nearest
from harness.core.escape import masked, printable, terminal
from harness.core.files import unwritable
from harness.core.secret import hide_values
from harness.core.table import Table, entry, fold

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from harness.core.configuration.command_line import CommandLine

COMMANDS = Path(__file__).parent / "command"
QUIET = (
    "hydra.output_subdir=null",
    "hydra.run.dir=.",
    "hydra/job_logging=none",
    "hydra/hydra_logging=none",
)
"""Keys that let Hydra write only what a launcher needs, below the runs folder."""
LONGEST = 4000
"""Largest number of characters of an error."""
MULTIRUN = "+hydra.callbacks.multirun._target_=harness.sweep.multirun.Begin"
MAXIMIZE = {
    "optuna": "hydra.sweeper.direction=maximize",
    "nevergrad": "hydra.sweeper.optim.maximize=true",
    "ax": "hydra.sweeper.ax_config.experiment.minimize=false",
}
"""The key by which a sweeper of Hydra looks for the largest value; each looks for the smallest."""
GROUPS = {
    "Start here": (("sweep", "heldout", "report", "ui"), "harness sweep"),
    "Your own runs": (
        ("fuse", "evaluate", "compare"),
        "harness compare run=a.trec baseline=b.trec gold=q.jsonl",
    ),
    "Look around": (("list", "doctor"), "harness list fuser"),
}
"""The first groups of ``harness --help``: their commands, and an example. The other commands of the
core follow under "More", and those of plug-ins are last.
"""
USAGE = """usage: harness <command> [key=value ...]

{commands}

Every key of conf/ is set as key=value (or --key value), a list as 'k=[5,10]'.
  harness <command> --help       what it does, with examples
  harness <command> --cfg job    the configuration that it would run with
  harness sweep -m encoder=a,b   one job for each value (Hydra's multirun;
                                 hydra/launcher=slurm sends them to Slurm)
"""


def main(argv: Sequence[str] | None = None) -> None:
    """Run a command.

    The exit status is 0 for success, 2 for a mistake that the user can mend (one line on stderr),
    and 130 for an interruption.

    Args:
        argv: the command and its arguments; None for those of this process.
    """
    command, *arguments = (sys.argv[1:] if argv is None else argv) or ["--help"]
    with (
        contextlib.redirect_stdout(printable(sys.stdout)),
        contextlib.redirect_stderr(masked(sys.stderr)),
        report_errors(command),
    ):
        if command in ("-h", "--help", "help"):
            print(usage())
        elif command in ("-V", "--version", "version"):
            print(version())
        elif command in ("-sc", "--shell-completion"):
            complete_word(arguments)
        elif command not in commands():
            lacking = extensions.missing_plugin(command)
            message = (
                lacking or f"no such command{nearest(command, commands())}; try harness --help"
            )
            raise HarnessError(f"harness {command}: {message}")
        elif {"-h", "--help"} & set(arguments):
            print(manual(command))
        else:
            from harness.core.configuration.command_line import CommandLine

            launch(CommandLine.read(command, arguments))


def complete_word(arguments: Sequence[str]) -> None:
    """Print the script by which a shell completes words (``install=bash``), or the words that it
    asks for (``query=bash``): commands, and the keys of a command, which Hydra knows.
    """
    from harness.core.configuration.command_line import CommandLine

    typed = os.environ.get("COMP_LINE", "").split(" ")
    asks = any(text.startswith("query=") for text in arguments)
    if asks and len(typed) < 3:
        print(*(name for name in commands() if name.startswith(typed[-1])))
        return
    command = typed[1] if asks else "sweep"
    if command in commands():
        os.environ["COMP_LINE"] = " ".join([typed[0], *typed[2:]])
        os.environ["COMP_POINT"] = str(len(os.environ["COMP_LINE"]))
        launch(CommandLine.read(command, ["--shell-completion", *arguments]))


@contextlib.contextmanager
def report_errors(command: str) -> Iterator[None]:
    """End the process with one line for a mistake that the user can mend, a missing extra, or an
    interruption.
    """
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except HarnessError as error:
        end(error)
    except ImportError as error:
        from harness.core.configuration.extras import missing_library

        if (message := missing_library(error, f"harness {command}")) is None:
            raise
        end(message)
    except KeyboardInterrupt:
        print(
            "interrupted; finished work is kept, and the same command continues from there",
            file=sys.stderr,
        )
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        if error.filename is not None or (reason := unwritable(error)) is None:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        end(
            HarnessError(
                f"standard output: cannot write ({reason}); free some space or send it elsewhere"
            )
        )


def print_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print a traceback without secrets. It is the hook of this process."""
    print(
        hide_values("".join(traceback.format_exception(kind, error, trace))),
        end="",
        file=sys.stderr,
    )


def end(error: HarnessError) -> NoReturn:
    """End the process with the error in one line."""
    text = " ".join(terminal(hide_values(str(error))).split())
    if len(text) > LONGEST:  # an id may be a whole file
        text = f"{text[: LONGEST // 2]} ... {text[-LONGEST // 2 :]}"
    print(f"error: {text}", file=sys.stderr)
    sys.exit(error.exit_code)


@functools.cache
def commands() -> dict[str, str]:
    """Return the module of each command by its name: those of ``harness/command/`` and of other
    packages.
    """
    core = {
        path.stem: f"harness.command.{path.stem}"
        for path in COMMANDS.glob("*.py")
        if path.stem != "__init__"
    }
    return dict(sorted({**extensions.commands(), **core}.items()))


def documentation(command: str) -> str:
    """Return a command's help, the docstrings of its module and of plug-ins' additions, without
    importing them.
    """
    spec = importlib.util.find_spec(commands()[command])
    if spec is None or spec.origin is None:
        raise HarnessError(
            f"harness {command}: {commands()[command]} is not there; reinstall the package that "
            "has it"
        )
    adding = [folder / "addition" / f"{command}.py" for folder in extensions.plugins().values()]
    paths = [Path(spec.origin), *(path for path in adding if path.is_file())]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    return "\n\n".join(text.partition('"""')[2].partition('"""')[0].strip() for text in texts)


def manual(command: str) -> str:
    """Return the text of ``harness <command> --help``: the documentation, followed by the keys in
    conf/.
    """
    from harness.core.configuration.options import options

    lines: list[str] = []
    for option in options(extensions.config_name(command)):
        lines += entry(f"{option.key}={option.default}", option.text, 27)
    return "\n".join([fold(documentation(command)), "", "Keys and their defaults:", "", *lines])


def version() -> str:
    """Return the release, and the version of the code that results depend on."""
    from harness.core.identity import code_version

    code = code_version()
    return f"harness {code.partition('+')[0]} (code {code})"


def usage() -> str:
    """Return the text of ``harness --help``: a line for each command, by groups."""
    known = commands()
    named = {name for names, _ in GROUPS.values() for name in names}
    core = [name for name in known if (COMMANDS / f"{name}.py").is_file()]
    more = tuple(name for name in core if name not in named)
    added = tuple(name for name in known if name not in core)
    plugin_help = f"harness {next(iter(added), '')} --help"
    rows = []
    groups = {**GROUPS, "More": (more, "harness new fuser mine"), "Plug-ins": (added, plugin_help)}
    for title, (names, example) in groups.items():
        if not names:
            continue
        lines = [line for name in names for line in entry(name, _summary(name), 9)]
        rows += [f"{title}, e.g. `{example}`:", *lines, ""]
    return USAGE.format(commands="\n".join(rows).strip())


def _summary(command: str) -> str:
    try:
        return " ".join(documentation(command).partition("\n\n")[0].split())
    except (HarnessError, ImportError, SyntaxError) as error:  # the other commands are shown
        return f"cannot be read: {' '.join(str(error).split())}"


def launch(line: CommandLine) -> None:
    """Compose the configuration of a command and run it."""
    from harness.core.configuration.composition import build, prepare
    from harness.core.configuration.translation import translate_errors

    # objects of modules live as long as the process; collecting them took 0.3 s of `evaluate`
    gc.set_threshold(100_000, 20, 100)
    atexit.register(gc.freeze)  # no collection when the process ends
    sys.excepthook = print_bug
    logging.basicConfig(format="%(message)s", stream=printable(sys.stderr))
    logging.getLogger("harness").setLevel(logging.INFO)
    os.environ["PYTHONSAFEPATH"] = "1"  # child processes import nothing from this folder
    run = importlib.import_module(commands()[line.command]).run
    with translate_errors():
        if line.is_for_hydra:
            launch_by_hydra(line, run)
        else:
            prepared = prepare(line.primary, line.overrides)
            perform(run, build(line.primary, prepared), [*map(str, prepared.typed)])


def perform(
    run: Callable[[DictConfig], float | Table | None], config: DictConfig, overrides: Sequence[str]
) -> float | Table | None:
    """Run a command with its configuration and return its result.

    Args:
        run: the command. A sweep returns its objective on tune, for Hydra's sweepers, and
            `evaluate` its row of a multirun's table.
        config: its configuration.
        overrides: the overrides of the configuration.
    """
    from harness.core.configuration.translation import report_own_code

    note_typed(overrides)
    with report_own_code():
        return run(config)


def launch_by_hydra(line: CommandLine, run: Callable[[DictConfig], float | Table | None]) -> None:
    """Run a command through Hydra, for Hydra's own flags or several jobs by its launchers.

    Each job composes its own configuration from its overrides, as a single command does.
    """
    import hydra
    from hydra.core.hydra_config import HydraConfig

    from harness.core.configuration.composition import compose, prepare
    from harness.core.configuration.extras import missing_library

    if "--info" in line.flags:  # Hydra prints it by a handler of its own
        logging.getLogger().handlers.clear()
    os.environ["HYDRA_FULL_ERROR"] = "1"  # `translate_errors` needs the error itself
    begin: Callable[[], contextlib.AbstractContextManager[None]] = functools.partial(
        report_errors, line.command
    )
    around: contextlib.AbstractContextManager[object] = contextlib.redirect_stdout(
        masked(sys.stdout)  # Hydra's flags print what variables of the environment hold
    )
    passed: Sequence[str] = line.overrides
    if not line.is_completion:
        first = compose(line.primary, line.first_job)  # reports mistakes before Hydra does
        if line.is_several and "paths" not in first:
            raise HarnessError(
                f"harness {line.command} runs once, with one value of each key; -m is for harness "
                "sweep, evaluate and compare"
            )
        prepared = prepare(line.primary, line.overrides)
        passed = [*map(str, prepared.typed)] if line.is_several else prepared.for_hydra
    if line.is_several:
        from harness.sweep import multirun

        begin = functools.partial(
            multirun.cell, lambda error: missing_library(error, f"harness {line.command}")
        )
        around = multirun.experiment()

    @functools.wraps(run)
    def job(config: DictConfig) -> float | None:
        with begin():  # not outside: Hydra would add a line of its own
            typed = [*HydraConfig.get().overrides.task]
            if not line.is_several:
                typed = [
                    str(override) for override in prepared.typed if override.place[0] != "hydra"
                ]
            result = perform(run, compose(line.primary, typed), typed)
            if not isinstance(result, Table):
                return result
            if line.is_several:
                multirun.note(result)
        return None  # the error of a job is noted for the table of the multirun

    extensions.extend_hydra()
    sys.argv = ["harness", *line.flags, *passed, *QUIET]
    if line.is_several:
        sys.argv += _multirun_keys(line)
    with around:
        hydra.main(
            version_base="1.3",
            config_path=str(package_folder("conf").resolve()),
            config_name=line.primary,
        )(job)()


def _multirun_keys(line: CommandLine) -> list[str]:
    """Return Hydra's keys of a multirun: a folder of its own, and the direction of an optimiser."""
    now = datetime.now().strftime("%Y%m%d-%H%M%S-%f")
    keys = [f"hydra.sweep.dir=${{paths.runs}}/multirun/{now}", MULTIRUN]
    for name, direction in MAXIMIZE.items():
        typed = {text.partition("=")[0] for text in line.overrides}
        if f"hydra/sweeper={name}" in line.overrides and direction.partition("=")[0] not in typed:
            keys.append(direction)
    return keys


if __name__ == "__main__":
    main()
