"""The command line as a user calls it, in processes that have loaded its libraries already.

Each call is a process of its own: a fork of a server, which has imported what commands import. That
takes most of the time of a short one otherwise. Other tests call the program itself.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from functools import cache
from pathlib import Path

LOADED = ["windtunnel.cli.program", "windtunnel.report", "windtunnel.summary", "scipy.special"]
"""What commands load, with what these import."""


@cache
def server() -> subprocess.Popen[str]:
    """Start the server, which ends when its standard input does."""
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, __file__], stdin=pipe, stdout=pipe, text=True)


def call(arguments: list[str], cwd: Path, seconds: float) -> subprocess.CompletedProcess[str]:
    """Call the command line in a folder, with its output captured.

    Raises subprocess.TimeoutExpired if it does not end in that time.
    """
    pipes = server()
    assert pipes.stdin and pipes.stdout
    with tempfile.TemporaryDirectory() as kept:
        outputs = [str(Path(kept, name)) for name in ("stdout", "stderr")]
        request = {
            "arguments": arguments,
            "cwd": str(cwd),
            "environment": dict(os.environ),
            "outputs": outputs,
            "seconds": seconds,
        }
        print(json.dumps(request), file=pipes.stdin, flush=True)
        code = json.loads(pipes.stdout.readline())
        if code is None:
            raise subprocess.TimeoutExpired(arguments, seconds)
        stdout, stderr = (Path(it).read_text(encoding="utf-8") for it in outputs)
    return subprocess.CompletedProcess(arguments, code, stdout, stderr)


def serve() -> None:
    """Answer each call with its exit code, or null if it did not end in time."""
    for name in LOADED:
        importlib.import_module(name)
    gc.freeze()
    for line in sys.stdin:
        request = json.loads(line)
        process = os.fork()
        if process == 0:
            os.environ.clear()
            os.environ.update(request["environment"])
            enter(request["arguments"], request["cwd"], request["outputs"])
        print(json.dumps(ended(process, request["seconds"])), flush=True)


def ended(process: int, seconds: float) -> int | None:
    """Give the exit code of a process, or kill it after that time."""
    until = time.monotonic() + seconds
    wait = 1e-3
    while True:
        found, status = os.waitpid(process, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > until:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return None
        time.sleep(wait)
        wait = min(2 * wait, 0.02)


def enter(arguments: list[str], cwd: str, outputs: list[str]) -> None:
    """Become the command line: in the fork."""
    files = [(os.devnull, os.O_RDONLY), *((it, os.O_WRONLY | os.O_CREAT) for it in outputs)]
    for descriptor, (file, mode) in enumerate(files):
        opened = os.open(file, mode)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.chdir(cwd)
    sys.path[0] = cwd
    sys.argv = ["windtunnel", *arguments]
    code: int | str | None = 1
    try:
        importlib.import_module("windtunnel.cli.program").main()
        code = 0
    except SystemExit as exit:
        code = exit.code
    except BaseException:
        traceback.print_exc()
    for stream in (sys.stdout, sys.stderr):
        if not stream.closed:
            stream.flush()
    # Without the time to take down what was loaded.
    os._exit(code if isinstance(code, int) else int(code is not None))


if __name__ == "__main__":
    serve()
