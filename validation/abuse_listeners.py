"""Kill, flood and feed nonsense to what listens, while legitimate clients try to be served.

    python validation/abuse_listeners.py --minutes 60

`tcp listen`, `ndn forward`, `ndn put` and `dns` run in a network namespace of their own. Of each,
a client tries again and again and must be served within a second; the memory of each must stay
below 200 MB; and at the end no process, interface or file may be left. Needs root. Exit code 1 if
one of these does not hold. The same seed abuses in the same order.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
OURS, KERNEL = "10.9.0.2", "10.9.0.1"
TCP, NDN, PRODUCER, DNS = 7007, 16363, 16364, 5302
MOST_MEMORY = 200_000_000
PATIENCE_S = 1.0
STARTING_S = 20.0
"""How long a listener may take until it serves: others compete for the processors."""


@dataclass
class Listener:
    """A command that listens, and a client that is served by it."""

    name: str
    arguments: list[str]
    serves: Callable[[], bool]
    process: subprocess.Popen[bytes] | None = None
    memory: int = 0
    served: int = 0
    longest: float = 0.0
    late: list[str] = field(default_factory=list)

    def start(self, folder: Path) -> None:
        """Start it, and wait until it serves."""
        command = [sys.executable, "-m", "windtunnel", *self.arguments]
        with (folder.parent / f"{self.name}.log").open("ab") as log:
            self.process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
        end = time.monotonic() + STARTING_S
        while refusal(self.serves):
            if time.monotonic() > end or self.process.poll() is not None:
                raise SystemExit(f"{self.name} does not serve; see {log.name}")

    def kill(self) -> None:
        """Kill it without warning."""
        if self.process:
            self.process.kill()
            self.process.wait()

    def check(self) -> None:
        """Be a client, and look at the memory."""
        assert self.process
        if self.process.poll() is not None:
            self.late.append(f"it ended with {self.process.returncode}")
            return
        began = time.monotonic()
        why = refusal(self.serves)
        took = time.monotonic() - began
        self.longest = max(self.longest, took)
        self.served += not why
        if why:
            self.late.append(f"not served in {took:.2f} s: {why}")
        elif took > PATIENCE_S:
            self.late.append(f"served after {took:.2f} s")
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        self.memory = max(self.memory, int(peak.split()[1]) * 1024)


def refusal(serves: Callable[[], bool]) -> str:
    """Say why a client is not served; empty if it is."""
    try:
        return "" if serves() else "an incomplete answer"
    except OSError as error:
        return str(error) or type(error).__name__


# -- Legitimate clients ------------------------------------------------------


def tlv(number: int, value: bytes) -> bytes:
    """Encode a short element."""
    return bytes([number, len(value)]) + value


def interest(*components: bytes) -> bytes:
    """Encode an Interest that may be answered below its name."""
    name = tlv(7, b"".join(tlv(8, it) for it in components))
    return tlv(5, name + tlv(0x21, b"") + tlv(10, os.urandom(4)))


def served_by_tcp() -> bool:
    """Send something to `tcp listen`, and get its file."""
    with socket.create_connection((OURS, TCP), timeout=2 * PATIENCE_S) as client:
        client.sendall(b"hello")
        client.shutdown(socket.SHUT_WR)
        return len(b"".join(iter(lambda: client.recv(65536), b""))) == 50_000


def exchanged(port: int, packet: bytes) -> bytes:
    """Send a datagram, and again where a full socket has dropped it; give the answer."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.connect(("127.0.0.1", port))
        client.settimeout(PATIENCE_S / 4)
        for _ in range(8):
            client.send(packet)
            try:
                return client.recv(9000)
            except TimeoutError:
                continue
    return b""


def served_by_forwarder() -> bool:
    """Ask for what no route is for: the answer is a NACK."""
    packet = tlv(100, tlv(80, interest(b"nobody", os.urandom(4))))
    return exchanged(NDN, packet)[:1] == b"d"


def served_by_producer() -> bool:
    """Ask for the first segment."""
    return exchanged(PRODUCER, interest(b"served"))[:1] in (b"\x06", b"d")


def question(name: bytes = b"www.xyz.com.ct1") -> bytes:
    """Encode a question of the domain name system for an address."""
    labels = b"".join(bytes([len(it)]) + it for it in name.split(b"."))
    return os.urandom(2) + bytes([1, 0, 0, 1, 0, 0, 0, 0, 0, 0]) + labels + bytes([0, 0, 1, 0, 1])


def served_by_dns() -> bool:
    """Ask for an address."""
    answer = exchanged(DNS, question())
    return len(answer) > 2 and answer[2] & 0x80 != 0


# -- Abuse -------------------------------------------------------------------


def checksum(data: bytes) -> int:
    """Give the checksum of RFC 1071."""
    total = sum(int.from_bytes(data[it : it + 2], "big") for it in range(0, len(data), 2))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF


def segment(chance: random.Random, flags: int, payload: bytes = b"") -> bytes:
    """Make a TCP segment from anybody in the subnet, in its IP packet."""
    source = socket.inet_aton(f"10.9.0.{chance.randrange(3, 255)}")
    ends = source + socket.inet_aton(OURS)
    ports = chance.randrange(1, 65536).to_bytes(2, "big") + TCP.to_bytes(2, "big")
    tcp = ports + chance.randbytes(8) + bytes([0x50, flags, 0xFF, 0xFF, 0, 0, 0, 0]) + payload
    tcp += bytes(len(tcp) % 2)
    pseudo = ends + bytes([0, 6]) + len(tcp).to_bytes(2, "big")
    tcp = tcp[:16] + checksum(pseudo + tcp).to_bytes(2, "big") + tcp[18:]
    length = (20 + len(tcp)).to_bytes(2, "big")
    return bytes([0x45, 0, *length, 0, 1, 0, 0, 64, 6, 0, 0]) + ends + tcp


def raw(packets: list[bytes]) -> None:
    """Send IP packets to `tcp listen`."""
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as sender:
        for packet in packets:
            try:
                sender.sendto(packet, (OURS, 0))
            except OSError:
                return


def flood_handshakes(chance: random.Random) -> None:
    """Send SYNs that nobody completes."""
    raw([segment(chance, 2) for _ in range(500)])


def flood_segments(chance: random.Random) -> None:
    """Send segments with any flags, of any length, some of them spoiled."""
    packets = []
    for _ in range(500):
        packet = segment(chance, chance.randrange(256), chance.randbytes(chance.randrange(900)))
        if chance.random() < 0.3:
            place = chance.randrange(20, len(packet))
            packet = packet[:place] + chance.randbytes(len(packet) - place)
        packets.append(packet)
    raw(packets)


def leave_connections(chance: random.Random) -> None:
    """Connect to listeners, say something or nothing, and go by a reset or without a word."""
    for _ in range(100):
        address = chance.choice([(OURS, TCP), ("127.0.0.1", NDN), ("127.0.0.1", PRODUCER)])
        client = socket.socket()
        client.settimeout(0.2)
        if chance.random() < 0.5:
            # Closing sends a reset.
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, bytes([1, 0, 0, 0]) + bytes(4))
        try:
            client.connect(address)
            client.send(chance.randbytes(chance.randrange(1, 2000)))
        except OSError:
            pass
        LEFT.append(client)
    while len(LEFT) > 300:
        LEFT.pop(0).close()


LEFT: list[socket.socket] = []
"""Connections that are left open for a while."""


def flood_datagrams(chance: random.Random) -> None:
    """Send right packets with some bytes changed, and nonsense, from many ports."""
    right = [interest(b"served"), tlv(100, tlv(80, interest(b"x"))), question()]
    for _ in range(20):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for _ in range(50):
                packet = bytearray(
                    chance.choice([*right, chance.randbytes(chance.randrange(2000))])
                )
                for _ in range(chance.randrange(4)):
                    if packet:
                        packet[chance.randrange(len(packet))] = chance.randrange(256)
                port = chance.choice([NDN, PRODUCER, DNS])
                sender.sendto(packet, ("127.0.0.1", port))


ABUSES = [flood_handshakes, flood_segments, leave_connections, flood_datagrams]


# -- The whole ---------------------------------------------------------------


def listeners(folder: Path) -> list[Listener]:
    """Give what listens, without being started."""
    (folder / "sent").write_bytes(os.urandom(50_000))
    address = f"127.0.0.1:{NDN}"
    listen = f'listen = ["udp://{address}", "tcp://{address}"]\n'
    (folder / "forwarder.toml").write_text(listen, encoding="utf-8")
    tcp = ["tcp", "listen", str(TCP), "--clients", "1000000000", "--send", "sent"]
    put = ["ndn", "put", "--prefix", "/served", "--file", "sent"]
    names = ROOT / "scenarios/dns/four-countries.toml"
    return [
        Listener("tcp", tcp, served_by_tcp),
        Listener("forwarder", ["ndn", "forward", "forwarder.toml"], served_by_forwarder),
        Listener("producer", [*put, "--bind", f"127.0.0.1:{PRODUCER}"], served_by_producer),
        Listener("dns", ["dns", str(names)], served_by_dns),
    ]


def abuse(all_of_them: list[Listener], folder: Path, seconds: float, chance: random.Random) -> None:
    """Do one thing after the other, and be a client of each in between."""
    end = time.monotonic() + seconds
    done: Counter[str] = Counter()
    while time.monotonic() < end:
        if chance.random() < 0.01:
            victim = chance.choice(all_of_them)
            victim.kill()
            victim.start(folder)
            done["kill"] += 1
        else:
            act = chance.choice(ABUSES)
            act(chance)
            done[act.__name__] += 1
        for listener in all_of_them:
            listener.check()
    print(", ".join(f"{name} {count}" for name, count in sorted(done.items())))


def left_over(folder: Path, expected: set[str]) -> list[str]:
    """Say what is left in this namespace, which had nothing in it but the loopback interface."""
    interfaces = {name for _, name in socket.if_nameindex()} - {"lo"}
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    others = [it for it in Path("/proc").iterdir() if it.name.isdecimal() and int(it.name) > 1]
    files = {it.name for it in folder.iterdir()} - expected
    mine = {str(os.getpid()), *children}
    processes = [it.name for it in others if it.name not in mine]
    return [*interfaces, *children, *processes, *files]


def inside(minutes: float, seed: int) -> int:
    """Abuse within the namespaces, and say what came of it."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "work"
        folder.mkdir()
        all_of_them = listeners(folder)
        expected = {it.name for it in folder.iterdir()}
        try:
            for listener in all_of_them:
                listener.start(folder)
            abuse(all_of_them, folder, minutes * 60, chance)
        finally:
            for client in LEFT:
                client.close()
            for listener in all_of_them:
                listener.kill()
        time.sleep(1)
        left = left_over(folder, expected)
    failed = bool(left)
    for it in all_of_them:
        print(
            f"{it.name}: {it.served} clients served, in {it.longest:.2f} s at most, "
            f"{it.memory / 1e6:.0f} MB at most"
        )
        failed |= it.memory > MOST_MEMORY or bool(it.late)
        for reason, count in Counter(it.late).most_common(5):
            print(f"    {count} times: {reason}")
    print(f"left behind: {', '.join(left) or 'nothing'}")
    return int(failed)


def main() -> None:
    """Run in namespaces of one's own."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.inside:
        raise SystemExit(inside(chosen.minutes, chosen.seed))
    apart = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    ended = subprocess.run([*apart, sys.executable, *sys.argv, "--inside"], check=False)
    raise SystemExit(ended.returncode if ended.returncode >= 0 else 128 + signal.SIGKILL)


if __name__ == "__main__":
    main()
