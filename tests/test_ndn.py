"""NDN on sockets: our forwarder, producer and consumer between NDNts and python-ndn."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from conftest import Command
from windtunnel._core import catalogue

INTEROP = Path(__file__).parent / "interop"
EXAMPLE = Path(__file__).parent.parent / "scenarios" / "live" / "ndn.toml"
SIZE = 10_000_000

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="NDN on sockets needs Linux")


def free_port() -> int:
    """Find a port that is free over TCP and UDP."""
    with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
        tcp.bind(("127.0.0.1", 0))
        port: int = tcp.getsockname()[1]
        udp.bind(("127.0.0.1", port))
        return port


@contextmanager
def running(*command: object, until: str, **env: str) -> Iterator[subprocess.Popen[str]]:
    """Run a program from when it has printed some text."""
    process = subprocess.Popen(
        [*map(str, command)], stdout=subprocess.PIPE, text=True, env={**os.environ, **env}
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        while until not in line:
            assert line, f"{command} ended before it printed {until}"
            line = process.stdout.readline()
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close() if process.stdout else None


def ours(*arguments: object) -> list[object]:
    """Give a command of `windtunnel ndn`."""
    return [sys.executable, "-m", "windtunnel", "ndn", *arguments]


@pytest.fixture(scope="module")
def interop() -> Path:
    """Install what we talk with, unless it is there."""
    for tool in ("npm", "make"):
        if shutil.which(tool) is None:
            pytest.skip(f"`{tool}` is needed to install NDNts and python-ndn")
    try:
        command = ["make", "--silent", "interop", f"PYTHON={sys.executable}"]
        subprocess.run(
            command, cwd=INTEROP.parent.parent, check=True, capture_output=True, timeout=120
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        what = error.stderr.decode().strip().splitlines()[-1:] if error.stderr else error
        pytest.skip(f"NDNts and python-ndn could not be installed: {what}")
    return INTEROP


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a file of 10 MB."""
    path = tmp_path_factory.mktemp("ndn") / "file"
    path.write_bytes(os.urandom(SIZE))
    return path


@pytest.fixture
def forwarder(tmp_path: Path) -> Iterator[str]:
    """Run a forwarder; give its address over UDP or TCP, without the scheme."""
    address = f"127.0.0.1:{free_port()}"
    path = tmp_path / "forwarder.toml"
    path.write_text(f'listen = ["udp://{address}", "tcp://{address}"]\n', encoding="utf-8")
    with running(*ours("forward", path), until="listening at tcp"):
        yield address


def put(tool: str, interop: Path, uplink: str, file: Path) -> Any:
    """Run a producer of a file below `/example`."""
    if tool == "windtunnel":
        command = ours("put", "--prefix", "/example", "--file", file, "--connect", uplink)
        return running(*command, until="segments")
    if tool == "NDNts":
        command = ["node", interop / "put.mjs", uplink, "/example", file]
        return running(*command, until="example")
    command = [
        *[interop / ".venv" / "bin" / "python", "-u", "-m", "ndn.bin.tools"],
        *["putchunks", "/example", file],
    ]
    return running(*command, until="Start serving", NDN_CLIENT_TRANSPORT=uplink)


def get(tool: str, interop: Path, uplink: str, out: Path, name: str = "/example") -> None:
    """Fetch it."""
    env = dict(os.environ)
    if tool == "windtunnel":
        command = ours("get", name, "--out", out, "--connect", uplink)
    elif tool == "NDNts":
        command = ["node", interop / "get.mjs", uplink, name, out]
    else:
        env["NDN_CLIENT_TRANSPORT"] = uplink
        command = [
            *[interop / ".venv" / "bin" / "python", "-m", "ndn.bin.tools"],
            *["catchunks", "--fresh", "--output", out, name],
        ]
    done = subprocess.run(
        [*map(str, command)], env=env, timeout=60, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def digest(path: Path) -> str:
    """Give the SHA-256 digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("producer", "consumer", "scheme"),
    [
        ("NDNts", "windtunnel", "tcp"),
        ("NDNts", "NDNts", "udp"),
        ("NDNts", "python-ndn", "tcp"),
        ("python-ndn", "windtunnel", "tcp"),
        ("python-ndn", "NDNts", "tcp"),
        ("python-ndn", "python-ndn", "udp"),
        ("windtunnel", "NDNts", "udp"),
        ("windtunnel", "python-ndn", "tcp"),
    ],
)
def test_a_file_crosses_our_forwarder_between_implementations(
    interop: Path,
    file: Path,
    forwarder: str,
    tmp_path: Path,
    producer: str,
    consumer: str,
    scheme: str,
) -> None:
    """10 MB arrive as they were."""
    uplink, out = f"{scheme}://{forwarder}", tmp_path / "out"
    # python-ndn's consumer takes what answers the name itself for metadata; NDNts' producer has
    # a segment there, and so has ours.
    direct = consumer == "python-ndn" and producer != "python-ndn"
    with put(producer, interop, uplink, file):
        get(consumer, interop, uplink, out, "/example/32=metadata" if direct else "/example")
    assert digest(out) == digest(file)


def test_every_controller_fetches_from_a_producer_of_ndnts(
    interop: Path, file: Path, forwarder: str, tmp_path: Path, windtunnel: Command
) -> None:
    """10 MB arrive as they were, whatever controls the window."""
    uplink, wanted = f"tcp://{forwarder}", digest(file)
    fetched = 0
    with put("NDNts", interop, uplink, file):
        for controller in (it["name"] for it in json.loads(catalogue("controllers"))):
            out = tmp_path / controller
            command = ["ndn", "get", "/example", "--out", out, "--controller", controller]
            done = windtunnel(*command, "--connect", uplink, "--json")
            if "which an NDN consumer does not have" in done.stderr:
                continue
            fetched += 1
            assert done.returncode == 0, (controller, done.stderr)
            assert digest(out) == wanted, controller
            measured = json.loads(done.stdout)
            assert (measured["controller"], measured["bytes"]) == (controller, SIZE)
            assert measured["goodput_bps"] > 1e6, measured
            out.unlink()
    assert fetched >= 20


def test_a_forwarder_says_what_it_counted(file: Path, tmp_path: Path, windtunnel: Command) -> None:
    """Ctrl-C ends it, with a document of all its counters."""
    port = free_port()
    path = tmp_path / "forwarder.toml"
    path.write_text(f'listen = ["udp://127.0.0.1:{port}"]\n', encoding="utf-8")
    command = [*map(str, ours("forward", path, "--json"))]
    forwarder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    uplink = f"udp://127.0.0.1:{port}"
    with put("windtunnel", tmp_path, uplink, file):
        done = windtunnel("ndn", "get", "/example", "--out", "out", "--connect", uplink)
        assert done.returncode == 0, done.stderr
        assert "7693 segments" in done.stdout
    forwarder.send_signal(signal.SIGINT)
    counted = json.loads(forwarder.communicate(timeout=10)[0])
    assert forwarder.returncode == 0
    assert counted["data_in"] >= 7693
    assert counted["malformed"] == counted["link"]["malformed"] == 0
    assert counted["commands"] == 2, "registered, and withdrawn at the end"


@pytest.fixture
def namespaces() -> Iterator[list[str]]:
    """Make three network namespaces in a row: 10.9.1.1 to 10.9.1.2, 10.9.2.1 to 10.9.2.2."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("network namespaces need root and `ip`")
    names = [f"windtunnel-{os.getpid()}-{it}" for it in "abc"]
    commands = [f"netns add {it}" for it in names]
    for link, (one, other) in enumerate(pairwise(names), start=1):
        commands += [
            f"link add near{link} netns {one} type veth peer name far{link} netns {other}",
            f"-n {one} addr add 10.9.{link}.1/24 dev near{link}",
            f"-n {other} addr add 10.9.{link}.2/24 dev far{link}",
            f"-n {one} link set near{link} up",
            f"-n {other} link set far{link} up",
        ]
    try:
        for command in commands:
            made = subprocess.run(
                ["ip", *command.split()], capture_output=True, text=True, check=False
            )
            if made.returncode != 0:
                pytest.skip(f"`ip {command}`: {made.stderr.strip()}")
        yield names
    finally:
        for it in names:
            subprocess.run(["ip", "netns", "del", it], capture_output=True, check=False)


def test_a_file_crosses_network_namespaces(namespaces: list[str], tmp_path: Path) -> None:
    """A producer, a forwarder and a consumer with addresses of their own."""
    near, middle, far = (["ip", "netns", "exec", it] for it in namespaces)
    file, out, plan = (tmp_path / it for it in ("file", "out", "middle.toml"))
    file.write_bytes(os.urandom(1_000_000))
    plan.write_text(
        'faces.far.remote = "udp://10.9.2.2"\nroutes = [{ prefix = "/example", face = "far" }]\n',
        encoding="utf-8",
    )
    serves = ours("put", "--prefix", "/example", "--file", file, "--segment-size", "8000")
    forwards = ours("forward", plan, "--bind", "10.9.1.2")
    fetches = ours("get", "/example", "--out", out, "--connect", "udp://10.9.1.2", "--json")
    with (
        running(*far, *serves, "--bind", "10.9.2.2", until="listening at tcp"),
        running(*middle, *forwards, until="listening at tcp"),
    ):
        command = [*map(str, [*near, *fetches, "--bind", "10.9.1.1"])]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 0, done.stderr
    assert digest(out) == digest(file)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["get", "example", "--out", "x"], "a name begins with `/`"),
        (["get", "/", "--out", "x"], "has no components"),
        (["get", "/a", "--out", "x", "--connect", "here"], "not the address of a face"),
        (["get", "/a", "--out", "x", "--controller", "ledbat"], "one-way delay"),
        (["get", "/a", "--out", "none/x"], "none/x"),
        (["get", "/a", "--out", "x", "--connect", "tcp://127.0.0.1:1"], "cannot connect"),
        (["put", "--prefix", "/a", "--file", "missing"], "missing"),
        (["put", "--prefix", "/a", "--file", "/dev/null", "--bind", "127.0.0.1:0"], "not a file"),
        (
            ["put", "--prefix", "/a", "--file", ".", "--bind", "127.0.0.1:0"],
            "there are no files in it",
        ),
        (["put", "--prefix", "/a", "--file", "x", "--sign", "ecdsa"], "requires a private key"),
        (["put", "--prefix", "/a", "--file", "x", "--bind", "there"], "not an address to bind"),
        (["forward", "missing.toml"], "missing.toml"),
        (["forward", EXAMPLE, "--bind", "192.0.2.1"], "cannot listen on udp://192.0.2.1:6363"),
    ],
)
def test_what_is_wrong_is_said(windtunnel: Command, arguments: list[str], expected: str) -> None:
    """The user's mistakes end with code 2 and one message."""
    done = windtunnel("ndn", *arguments)
    assert done.returncode == 2, done.stderr
    assert expected in done.stderr
    assert "Traceback" not in done.stderr


def tlv(number: int, value: bytes) -> bytes:
    """Encode a short element."""
    return bytes([number, len(value)]) + value


def asked(forwarder: str, own: str) -> bytes | None:
    """Send an Interest that no route is for, from an address; give the answer, if one comes."""
    nonce = tlv(10, os.urandom(4))
    interest = tlv(5, tlv(7, tlv(8, b"nobody")) + nonce)
    host, port = forwarder.split(":")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind((own, 0))
        udp.settimeout(3)
        udp.sendto(tlv(100, tlv(80, interest)), (host, int(port)))
        try:
            return udp.recv(9000)
        except TimeoutError:
            return None


def test_a_crowd_does_not_keep_others_out(forwarder: str) -> None:
    # More than the faces that there are, each from an address of its own.
    for number in range(1100):
        assert asked(forwarder, f"127.1.{number // 250}.{number % 250 + 1}")
    assert asked(forwarder, "127.0.0.1")


COUNTERS = {
    0x90: "in interests",
    0x97: "in nacks",
    0x94: "in bytes",
    0x98: "out nacks",
    0x95: "out bytes",
}


def elements(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Read elements one after the other."""
    while data:
        number, length, start = data[0], data[1], 2
        if length == 253:
            length, start = int.from_bytes(data[2:4]), 4
        yield number, data[start : start + length]
        data = data[start + length :]


def within(data: bytes, *path: int) -> bytes:
    """Go down to the first element of each number."""
    for number in path:
        data = next(value for found, value in elements(data) if found == number)
    return data


def interest(*components: bytes) -> bytes:
    """Encode an Interest that may be answered below its name, and only freshly."""
    name = tlv(7, b"".join(tlv(8, it) for it in components))
    return tlv(5, name + tlv(0x21, b"") + tlv(0x12, b"") + tlv(10, os.urandom(4)))


def exchange(udp: socket.socket, packet: bytes) -> bytes:
    udp.send(packet)
    return udp.recv(9000)


def test_each_face_says_what_it_counted(forwarder: str) -> None:
    host, port = forwarder.split(":")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.connect((host, int(port)))
        udp.settimeout(5)
        asked = [interest(b"nobody", bytes([number])) for number in range(5)]
        nacks = [exchange(udp, packet) for packet in asked]
        listing = interest(b"localhost", b"nfd", b"faces", b"list")
        content = within(exchange(udp, listing), 6, 0x15)
        own = "udp4://{}:{}".format(*udp.getsockname())
    statuses = [dict(elements(status)) for number, status in elements(content) if number == 0x80]
    counted = next(it for it in statuses if it[0x72] == own.encode())
    assert {text: int.from_bytes(counted[it]) for it, text in COUNTERS.items()} == {
        "in interests": 6,
        "in nacks": 0,
        "in bytes": sum(len(it) for it in [*asked, listing]),
        "out nacks": 5,
        "out bytes": sum(len(it) for it in nacks),
    }


def test_commands_without_a_right_signature_are_refused(forwarder: str) -> None:
    parameters = tlv(104, tlv(7, tlv(8, b"mine")))
    name = [b"localhost", b"nfd", b"rib", b"register", parameters]
    digest = tlv(0x16, tlv(0x1B, b"\0"))

    def signed(signature: bytes) -> bytes:
        return interest(*name, digest, tlv(0x17, signature))

    of_name = b"".join(tlv(8, it) for it in [*name, digest])
    right = hashlib.sha256(of_name).digest()
    host, port = forwarder.split(":")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.connect((host, int(port)))
        udp.settimeout(5)
        for packet, code in [
            (interest(*name), 403),
            (signed(bytes(32)), 403),
            (signed(right), 200),
        ]:
            response = within(exchange(udp, packet), 6, 0x15, 101)
            assert int.from_bytes(within(response, 102)) == code


@pytest.fixture
def tree(forwarder: str, tmp_path: Path) -> Iterator[dict[str, bytes]]:
    """Serve a folder below `/tree`; give its files."""
    folder = tmp_path / "served"
    files = {"a.bin": os.urandom(30_000), "sub/b.bin": os.urandom(5), "sub/empty": b""}
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    (folder / "link").symlink_to("/etc/hostname")
    uplink = f"udp://{forwarder}"
    command = ours("put", "--prefix", "/tree", "--file", folder, "--connect", uplink)
    with running(*command, until="/tree/sub/empty"):
        yield files


def test_a_folder_is_served_file_by_file(
    forwarder: str, tree: dict[str, bytes], tmp_path: Path
) -> None:
    for name, content in tree.items():
        get("windtunnel", INTEROP, f"udp://{forwarder}", tmp_path / "out", f"/tree/{name}")
        assert (tmp_path / "out").read_bytes() == content


@pytest.mark.parametrize("consumer", ["NDNts", "python-ndn"])
def test_others_read_the_files_of_a_folder(
    interop: Path, forwarder: str, tree: dict[str, bytes], tmp_path: Path, consumer: str
) -> None:
    # What python-ndn asks for: see above.
    end = "/32=metadata" if consumer == "python-ndn" else ""
    for name in ("a.bin", "sub/b.bin"):
        get(consumer, interop, f"tcp://{forwarder}", tmp_path / "out", f"/tree/{name}{end}")
        assert (tmp_path / "out").read_bytes() == tree[name]


def test_python_ndn_reads_what_faces_counted(interop: Path, forwarder: str) -> None:
    env = {**os.environ, "NDN_CLIENT_TRANSPORT": f"tcp://{forwarder}"}
    command = [interop / ".venv" / "bin" / "python", "-m", "ndn.bin.nfdc", "face"]
    words = list(map(str, command))
    done = subprocess.run(words, env=env, timeout=30, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "tcp4://127.0.0.1" in done.stdout
