"""The command line: arguments in, exit codes out."""

from __future__ import annotations

import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from windtunnel.cli.commands import app
from windtunnel.cli.output import (
    INTERNAL,
    INTERNAL_ERROR,
    INVALID,
    INVALID_INPUT,
    Failure,
    of_system,
)


def main() -> None:
    """Run the command line.

    Exit codes: 0 on success; 2 for invalid input, and for files that cannot be read or
    written; 1 for an internal error, for what `gate` finds to be worse and
    `evaluate` not to hold, and without a message if
    nobody reads the output any more; 130 after Ctrl-C.
    """
    # A character that the terminal's encoding lacks becomes a question mark, not an error.
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        try:
            app()
        finally:
            # Not at the exit, where Python itself would complain.
            sys.stdout.flush()
    except BrokenPipeError:
        leave()
    except Failure as failure:
        end(str(failure), failure.code)
    except INVALID as error:
        end(str(error), INVALID_INPUT)
    except OSError as error:
        if error.filename is None and not can_write():
            error.filename = "standard output"
        end(of_system(error), INVALID_INPUT)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})"
        end(f"{INTERNAL}: {what}", INTERNAL_ERROR)


def can_write() -> bool:
    """Say whether standard output can be written to, by a line: what failed to be is not kept."""
    try:
        print(flush=True)
    except OSError:
        return False
    return True


def end(message: str, code: int) -> NoReturn:
    """Say what is wrong, on standard error, and exit."""
    with suppress(BrokenPipeError):
        print(f"windtunnel: {message}", file=sys.stderr)
    leave(code)


def leave(code: int = INTERNAL_ERROR) -> NoReturn:
    """Exit without another try to write what could not be written."""
    with suppress(OSError):
        sys.stdout.close()
    sys.exit(code)
