"""Commands over the path of `validation/live/path.toml`, emulated."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PATH = Path(__file__).parent / "live" / "path.toml"
WINDTUNNEL = [sys.executable, "-m", "windtunnel"]

SERVER = "10.0.0.4"
"""The address of the last node of the path."""

UDP_HEADERS = 28
"""The bytes of the headers of a datagram, IPv4's included."""

DROP_TAIL = 'queue = { limit = "170 packets" }'


def path(queue: str) -> str:
    """Give the scenario of the path, with that queue."""
    return PATH.read_text(encoding="utf-8").replace(DROP_TAIL, queue)


def emulate(scenario: str, command: list[str], server: str) -> tuple[dict[str, Any], str]:
    """Run a command over an emulated path; give the report, and what the command printed."""
    with tempfile.NamedTemporaryFile("w", suffix=".toml", encoding="utf-8") as file:
        file.write(scenario)
        file.flush()
        line = [*WINDTUNNEL, "emulate", file.name, "--at", f"server={server}", "--json", "--"]
        done = subprocess.run([*line, *command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join([*line, *command])}\n{done.stderr}")
    return json.loads(done.stdout), done.stderr


def documents(text: str) -> list[dict[str, Any]]:
    """Give all JSON documents in what several programs printed."""
    decoder, found, place = json.JSONDecoder(), [], 0
    while (place := text.find("{", place)) >= 0:
        try:
            document, place = decoder.raw_decode(text, place)
            found.append(document)
        except json.JSONDecodeError:
            place += 1
    return found
