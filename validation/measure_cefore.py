"""Measure how long Cefore's own programs take for a chunk.

    sudo python validation/measure_cefore.py PREFIX --windows 1 8

PREFIX is where Cefore was installed (`./configure --enable-cache --prefix PREFIX`, with CEFORE_DIR
set to it). Two forwarders run in two network namespaces, joined by a pair of virtual interfaces:
what `cefputfile` has published at one, `cefgetfile` fetches through the other. For each window
it prints what `cefgetfile` calls jitter, the mean time from chunk to chunk, and the processor time
that the consumer's and the producer's forwarder took for a chunk.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

NAME = "ccnx:/windtunnel/measured"
CHUNKS = 8000
CHUNK_BYTES = 1024
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
ADDRESSES = {"consumer": "10.77.0.1", "producer": "10.77.0.2"}


@contextmanager
def network() -> Iterator[None]:
    """Join two namespaces by a pair of interfaces."""
    names = list(ADDRESSES)
    try:
        for name in names:
            run("ip", "netns", "add", name)
        pair = ["type", "veth", "peer", "name", names[1], "netns", names[1]]
        run("ip", "link", "add", names[0], "netns", names[0], *pair)
        for name, address in ADDRESSES.items():
            run("ip", "-n", name, "addr", "add", f"{address}/24", "dev", name)
            run("ip", "-n", name, "link", "set", "lo", "up")
            run("ip", "-n", name, "link", "set", name, "up")
        yield
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)


class Node:
    """A forwarder in a namespace of its own."""

    def __init__(self, name: str, prefix: Path, folder: Path) -> None:
        """Write its settings: the producer has a cache, the consumer's route leads there."""
        self.name, self.folder = name, folder / name
        shutil.copytree(prefix / "cefore", self.folder)
        is_producer = name == "producer"
        settings = f"LOCAL_SOCK_ID={name}\nCS_MODE={int(is_producer)}\n"
        (self.folder / "cefnetd.conf").write_text(settings)
        keys = [f"{self.folder}/default-{kind}-key" for kind in ("public", "private")]
        (self.folder / "cefnetd.key").write_text(f"ccnx:/ {keys[1]} {keys[0]}\n")
        route = "" if is_producer else f"ccnx:/windtunnel udp {ADDRESSES['producer']}\n"
        (self.folder / "cefnetd.fib").write_text(route)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Let the forwarder run."""
        self.process = subprocess.Popen(self.inside("cefnetd"), stdout=subprocess.DEVNULL)
        time.sleep(1.0)
        try:
            yield
        finally:
            self.process.kill()
            self.process.wait()
            Path(f"/tmp/cef_9896.{self.name}").unlink(missing_ok=True)

    def inside(self, program: str, *arguments: str) -> list[str]:
        """Give the command of a program in the namespace."""
        netns = ["ip", "netns", "exec", self.name]
        return [*netns, program, *arguments, "-d", str(self.folder)]

    def processor_time(self) -> float:
        """Give what the forwarder has used so far, in s."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS_A_SECOND


def run(*command: str) -> str:
    """Run a program, and give what it prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def fetch(nodes: Sequence[Node], window: int, into: Path) -> str:
    """Fetch the file, and describe what it took."""
    before = [it.processor_time() for it in nodes]
    printed = run(*nodes[0].inside("cefgetfile", NAME, "-f", str(into), "-s", str(window)))
    used = (it.processor_time() - was for it, was in zip(nodes, before, strict=True))
    consumer, producer = (1e6 * it / CHUNKS for it in used)
    found = re.search(r"Jitter \(Ave\)\s*= (\d+) us", printed)
    jitter = f"{found[1]} µs from chunk to chunk" if found else "not fetched whole"
    return f"window {window}: {jitter}; a chunk takes {consumer:.0f} and {producer:.0f} µs of work"


def main() -> None:
    """Measure for each window."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("prefix", type=Path)
    parser.add_argument("--windows", type=int, nargs="+", default=[1, 8])
    chosen = parser.parse_args()
    folders = [str(chosen.prefix / it) for it in ("bin", "sbin")]
    os.environ["PATH"] = ":".join([*folders, os.environ["PATH"]])
    os.environ |= {"LD_LIBRARY_PATH": str(chosen.prefix / "lib"), "USER": "root"}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stack.enter_context(network())
        nodes = [Node(name, chosen.prefix, folder) for name in ADDRESSES]
        for node in nodes:
            stack.enter_context(node.running())
        file = folder / "file"
        file.write_bytes(os.urandom(CHUNKS * CHUNK_BYTES))
        run(*nodes[1].inside("cefputfile", NAME, "-f", str(file), "-r", "100"))
        for window in chosen.windows:
            print(fetch(nodes, window, folder / "fetched"))


if __name__ == "__main__":
    main()
