"""Errors of Hydra, OmegaConf and of a user's own code, translated to one line."""

from __future__ import annotations

import subprocess
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from harness.core.concepts import PACKAGE
from harness.core.configuration import extensions
from harness.core.configuration.extras import pip_install
from harness.core.configuration.overrides import Override, unreadable
from harness.core.errors import HarnessError, causes_of, in_words


@contextmanager
def translate_errors() -> Iterator[None]:
    """Translate errors of Hydra and OmegaConf in a block to a HarnessError of one line each."""
    from hydra.errors import HydraException, OverrideParseException
    from omegaconf.errors import OmegaConfBaseException

    try:
        yield
    except OverrideParseException as error:
        override = Override.read(str(error.override))
        raise unreadable(override.key, override.value or "") from error
    except (HydraException, OmegaConfBaseException) as error:
        text = str(error).strip()
        mends = {
            "Interpolation key": r"; if the text ${...} is meant, write \${...}",
            "is not in struct": "; the command needs this key, so that ~ cannot leave it out",
            "hydra/launcher": f"; launchers come with extras: {pip_install('joblib,slurm')}",
        }
        mend = next((mend for part, mend in mends.items() if part in text), "")
        raise HarnessError(f"configuration: {text.partition(chr(10))[0]}{mend}") from error
    except RuntimeError as error:
        if 'detect "srun"' not in str(error):  # of submitit
            raise
        raise HarnessError(
            "hydra/launcher=slurm: there is no srun on this machine; run it where Slurm takes jobs"
        ) from error


@contextmanager
def report_own_code() -> Iterator[None]:
    """Turn an error of a user's own strategy within a block into one HarnessError with its line."""
    try:
        yield
    except HarnessError:
        raise
    except Exception as error:
        *_, cause = causes_of(error)
        packages = extensions.packages()
        is_library = isinstance(cause, ModuleNotFoundError)  # an extra brings it
        changed = set() if is_library else _changed_files()
        places = [
            f"{frame.f_code.co_filename}:{line}"
            for frame, line in traceback.walk_tb(cause.__traceback__)
            if str(frame.f_globals.get("__name__")).partition(".")[0] in packages
            or frame.f_code.co_filename in changed
        ]
        if not places:
            raise  # ours: a bug, with its traceback
        raise HarnessError(f"{in_words(cause)} ({places[-1]}); correct that module") from error


def _changed_files() -> set[str]:
    """Return the new and changed files of this package in a checkout: a user's own classes."""
    changed = ""
    if (PACKAGE.parent / ".git").exists():
        git = ["git", "status", "--porcelain", "--untracked-files=all", "--", PACKAGE.name]
        with suppress(OSError):
            changed = subprocess.run(git, cwd=PACKAGE.parent, capture_output=True, text=True).stdout
    return {str(PACKAGE.parent / line[3:]) for line in changed.splitlines()}
