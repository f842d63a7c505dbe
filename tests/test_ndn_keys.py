"""`ndn forward --key`: who may register prefixes at a forwarder."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Command

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("openssl") is None, reason="it needs Linux and openssl"
)

NDN = [sys.executable, "-m", "windtunnel", "ndn"]


def keys(folder: Path, name: str) -> tuple[Path, Path]:
    """Make a private key and its public one."""
    private, public = folder / f"{name}.pem", folder / f"{name}.pub.pem"
    make = ["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(private)]
    subprocess.run(make, check=True, capture_output=True)
    write = ["openssl", "pkey", "-pubout", "-in", str(private), "-out", str(public)]
    subprocess.run(write, check=True, capture_output=True)
    return private, public


@pytest.fixture
def forwarder(tmp_path: Path) -> Iterator[str]:
    """Run a forwarder that was given the key `known`; give its address."""
    with socket.socket(type=socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    _, public = keys(tmp_path, "known")
    (tmp_path / "forward.toml").write_text("")
    command = [*NDN, "forward", "forward.toml", "--bind", address, "--key", str(public)]
    running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    running.stdout.readline()
    yield f"udp://{address}"
    running.terminate()
    running.wait()


def test_a_prefix_is_registered_by_who_has_the_key(
    windtunnel: Command, forwarder: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"content" * 1000)
    put = [*NDN, "put", "--prefix", "/example", "--file", "file", "--connect", forwarder]
    signed = [*put, "--sign", "ed25519", "--key", "known.pem"]
    serving = subprocess.Popen(signed, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    try:
        assert serving.stdout is not None
        assert "/example" in serving.stdout.readline()
        time.sleep(0.1)
        get = ["ndn", "get", "/example", "--out", "copy", "--connect", forwarder, "--json"]
        done = windtunnel(*get, "--key", "known.pub.pem")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["verified"] > 0
        assert (tmp_path / "copy").read_bytes() == b"content" * 1000
    finally:
        serving.terminate()
        serving.wait()


@pytest.mark.parametrize("foreign", [False, True])
def test_others_are_refused_and_hear_why(
    windtunnel: Command, forwarder: str, tmp_path: Path, *, foreign: bool
) -> None:
    (tmp_path / "file").write_bytes(b"content")
    keys(tmp_path, "foreign")
    key = ["--sign", "ed25519", "--key", "foreign.pem"] if foreign else []
    put = ["ndn", "put", "--prefix", "/example", "--file", "file", "--connect", forwarder]
    refused = windtunnel(*put, *key)
    assert refused.returncode == 2
    assert "commands must be signed by a key that this forwarder was given (403)" in refused.stderr


def test_a_key_that_is_none_is_explained(windtunnel: Command, tmp_path: Path) -> None:
    (tmp_path / "forward.toml").write_text("")
    (tmp_path / "key.pem").write_text("nothing")
    done = windtunnel("ndn", "forward", "forward.toml", "--key", "key.pem")
    assert done.returncode == 2
    assert "this is not a public key" in done.stderr
