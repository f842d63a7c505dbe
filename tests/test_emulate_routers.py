"""What real hosts see of an emulation's routers: hop limits, MTUs, unknown addresses."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from conftest import Command
from test_emulate import needs_namespaces

CHAIN = """\
duration = "60 s"
nodes = { client = {}, near = {}, far = {}, server = {} }
links.access = { nodes = ["client", "near"], rate = "100 Mbps", delay = "5 ms" }
links.middle = { nodes = ["near", "far"], rate = "100 Mbps", delay = "5 ms", mtu = "1300 B" }
links.home = { nodes = ["far", "server"], rate = "100 Mbps", delay = "5 ms" }
"""


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    """Write a network with two routers, and a link between them that carries less than Ethernet."""
    file = tmp_path / "chain.toml"
    file.write_text(CHAIN, encoding="utf-8")
    return file


@needs_namespaces
@pytest.mark.skipif(shutil.which("traceroute") is None, reason="there is no traceroute")
@pytest.mark.parametrize("version", ["-4", "-6"])
def test_traceroute_shows_the_routers_by_name(
    windtunnel: Command, chain: Path, version: str
) -> None:
    answered = windtunnel("emulate", chain, "--json", "--", "traceroute", version, "server")
    hops = [line.split() for line in answered.stderr.splitlines()]
    hops = [words for words in hops if words and words[0].isdigit()]
    assert [words[1] for words in hops] == ["near", "far", "server"], answered.stderr
    for number, words in enumerate(hops, 1):
        times = [float(time) for time, unit in pairwise(words) if unit == "ms"]
        assert min(times) >= 10 * number


@needs_namespaces
@pytest.mark.skipif(shutil.which("ping") is None, reason="there is no ping")
@pytest.mark.parametrize("version", ["-4", "-6"])
def test_a_router_answers_ping_after_the_round_trip(
    windtunnel: Command, chain: Path, version: str
) -> None:
    ping = ["ping", version, "-c", "3", "-i", "0.2", "far"]
    answered = windtunnel("emulate", chain, "--json", "--", *ping)
    times = [float(it) for it in re.findall(r"time=([\d.]+)", answered.stderr)]
    assert len(times) == 3, answered.stderr
    # Two links of 5 ms there, and two back.
    assert min(times) >= 20
    report = json.loads(answered.stdout)
    assert (report["to_routers"], report["unknown_destination"]) == (3, 0)


@needs_namespaces
@pytest.mark.skipif(shutil.which("traceroute") is None, reason="there is no traceroute")
def test_traceroute_ends_at_a_router(windtunnel: Command, chain: Path) -> None:
    answered = windtunnel("emulate", chain, "--json", "--", "traceroute", "-4", "far")
    hops = [line.split() for line in answered.stderr.splitlines()]
    assert [words[1] for words in hops if words and words[0].isdigit()] == ["near", "far"]


CONNECT = """
import os, socket, time
for address in ("10.0.0.77", "fd00::77"):
    began = time.monotonic()
    try:
        socket.create_connection((address, 80), timeout=5)
    except OSError as error:
        print(os.strerror(error.errno or 0), round(time.monotonic() - began, 3))
"""


@needs_namespaces
def test_an_unknown_address_is_refused_after_a_round_trip(windtunnel: Command, chain: Path) -> None:
    answered = windtunnel("emulate", chain, "--json", "--", sys.executable, "-c", CONNECT)
    lines = [it.rsplit(" ", 1) for it in answered.stderr.splitlines() if "unreachable" in it]
    assert len(lines) == 2, answered.stderr
    assert all(0.01 <= float(took) < 2 for _, took in lines)
    assert json.loads(answered.stdout)["unknown_destination"] >= 2


@needs_namespaces
@pytest.mark.parametrize("is_v6", [False, True])
def test_tcp_gets_through_a_link_that_carries_less(
    windtunnel: Command, chain: Path, tmp_path: Path, *, is_v6: bool
) -> None:
    data = os.urandom(300_000)
    (tmp_path / "data").write_bytes(data)
    address = "fd00::4" if is_v6 else "10.0.0.4"
    server = f"{sys.executable} -m http.server 8000 --bind {address} --directory {tmp_path}"
    url = f"http://[{address}]:8000/data" if is_v6 else f"http://{address}:8000/data"
    client = (
        "import hashlib, urllib.request; "
        f"print(hashlib.sha256(urllib.request.urlopen('{url}', timeout=20).read()).hexdigest())"
    )
    answered = windtunnel(
        "emulate", chain, "--at", f"server={server}", "--json", "--", sys.executable, "-c", client
    )
    assert hashlib.sha256(data).hexdigest() in answered.stderr
    # The kernel of the server was told so once, or a few times.
    assert 1 <= json.loads(answered.stdout)["too_big"] <= 50


@needs_namespaces
def test_an_interface_carries_what_its_link_does(windtunnel: Command, chain: Path) -> None:
    small = CHAIN.replace('delay = "5 ms" }', 'delay = "5 ms", mtu = "1350 B" }', 1)
    chain.write_text(small, encoding="utf-8")
    answered = windtunnel("emulate", chain, "--", "ip", "link", "show", "world0")
    assert "mtu 1350" in answered.stdout


@needs_namespaces
def test_several_clients_and_servers(windtunnel: Command, tmp_path: Path) -> None:
    names = ["one", "two", "three"]
    file = tmp_path / "star.toml"
    links = [
        f'links.{it} = {{ nodes = ["hub", "{it}"], rate = "100 Mbps", delay = "1 ms" }}'
        for it in names
    ]
    nodes = ", ".join(f"{it} = {{}}" for it in ["hub", *names])
    file.write_text("\n".join(['duration = "60 s"', f"nodes = {{ {nodes} }}", *links]) + "\n")
    # One server is at the hub, another at an end; clients at two ends ask both.
    ask = (
        "import urllib.request, sys; "
        "pages = {it: urllib.request.urlopen(f'http://{it}:8000/{it}').read().decode() "
        "for it in ('hub', 'three')}; "
        "[print(sys.argv[1], *page, file=sys.stderr) for page in pages.items()]"
    )
    options = []
    for name in ("hub", "three"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / name).write_text(f"page-of-{name}")
        options += ["--at", f"{name}={sys.executable} -m http.server 8000 --directory {folder}"]
    script = tmp_path / "ask.py"
    script.write_text(ask)
    both = f"sh -c 'sleep 1; {sys.executable} {script} two; touch {tmp_path}/done; sleep 60'"
    command = f"{sys.executable} {script} one; while ! [ -e {tmp_path}/done ]; do sleep 0.1; done"
    answered = windtunnel(
        "emulate", file, *options, "--at", f"two={both}", "--", "sh", "-c", command
    )
    for client in ("one", "two"):
        for server in ("hub", "three"):
            assert f"{client} {server} page-of-{server}" in answered.stderr, answered.stderr


@needs_namespaces
def test_many_nodes_are_known_as_hosts(windtunnel: Command, tmp_path: Path) -> None:
    # Their names do not fit into one argument of a program.
    count = 3_000
    nodes = ["client = {}\nserver = {}\n"] + [
        f"router-with-a-name-{it} = {{}}\n" for it in range(count)
    ]
    file = tmp_path / "many.toml"
    file.write_text(
        'duration = "60 s"\n'
        'links.line = { nodes = ["client", "server"], rate = "1 Gbps", delay = "1 ms" }\n'
        "[nodes]\n" + "".join(nodes),
        encoding="utf-8",
    )
    answered = windtunnel("emulate", file, "--", "grep", "-c", "router-with-a-name", "/etc/hosts")
    assert answered.stdout.split()[0] == str(2 * count), answered.stderr


def test_an_mtu_is_not_less_than_simulated_packets(windtunnel: Command, chain: Path) -> None:
    simulated = CHAIN + 'flows.f = { from = "client", to = "server", controller = "cubic" }\n'
    chain.write_text(simulated, encoding="utf-8")
    answered = windtunnel("run", chain)
    assert answered.returncode == 2
    assert "`mtu` is less than the packets of flow `f`, of 1500 bytes" in answered.stderr
    assert "`maximum_segment` of the flow to 200 bytes less" in answered.stderr


@needs_namespaces
def test_simulated_flows_share_a_link_with_an_mtu(windtunnel: Command, chain: Path) -> None:
    flow = (
        'flows.f = { from = "near", to = "far", controller = "cubic", maximum_segment = "1200 B" }'
    )
    chain.write_text(f"{CHAIN}{flow}\n", encoding="utf-8")
    ping = ["ping", "-c", "2", "-i", "0.2", "-W", "1", "-M", "do", "-s", "1400", "server"]
    answered = windtunnel("emulate", chain, "--json", "--", *ping)
    assert "mtu = 1300" in answered.stderr or "mtu=1300" in answered.stderr, answered.stderr
    # The flow fills the link meanwhile.
    assert json.loads(answered.stdout)["queues"][2]["offered"] > 1000
