"""Lines of quic-network-simulator as scenarios: what each does, and what is wrong with a line."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from conftest import Command
from windtunnel import _core, interop
from windtunnel.running import run_scenario

PATH = "--delay=15ms --bandwidth=10Mbps --queue=25"
BITS = 10 * 2**20 * 8
"""What is downloaded."""


def run(line: str) -> dict[str, Any]:
    results = run_scenario(_core.Scenario(line, interop.scenario(line), []))
    is_there = (pl.col("link") == "path") & pl.col("from").is_in(["server", "right"])
    (links,) = results["links"].filter(is_there).rows(named=True)
    (transfer,) = results["transfers"].filter(pl.col("flow") == "download").rows(named=True)
    return {"results": results} | links | transfer


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, Any]:
    return run(f"simple-p2p {PATH}")


def test_a_download_over_the_usual_path_takes_most_of_it(undisturbed: dict[str, Any]) -> None:
    # The rate, less the headers of the largest datagram: 1422 of 1482 bytes.
    assert 0.95 < BITS / undisturbed["completion_s"] / (10e6 * 1422 / 1482) < 1.0


def test_each_direction_has_the_rate_and_the_queue_of_its_own(undisturbed: dict[str, Any]) -> None:
    forward = "--delay=15ms --forward-data-rate=10Mbps --forward-queue=25"
    slow = run(f"asymmetric-p2p {forward} --return-data-rate=500kbps --return-queue=2")
    assert slow["maximum_queue_packets"] == 25
    # A request takes longer, and all else is paced by the way back or as before.
    assert undisturbed["completion_s"] < slow["completion_s"] < 1.2 * undisturbed["completion_s"]


def test_a_share_of_each_direction_is_dropped_and_changed(undisturbed: dict[str, Any]) -> None:
    dropped = run(f"drop-rate {PATH} --rate_to_client=2 --rate_to_server=0")
    changed = run(f"corrupt-rate {PATH} --rate_to_client=2 --rate_to_server=0")
    for many in dropped["losses"], changed["corrupted"]:
        share = many / dropped["offered"]
        assert abs(share - 0.02) < 4 * (0.02 * 0.98 / dropped["offered"]) ** 0.5
    assert (dropped["corrupted"], changed["losses"]) == (0, 0)
    for slower in dropped, changed:
        assert slower["completion_s"] > 2 * undisturbed["completion_s"]


def test_a_run_of_losses_has_an_end() -> None:
    line = f"drop-rate {PATH} --rate_to_client=100 --burst_to_client=1 --rate_to_server=0"
    scenario = _core.Scenario("x", interop.scenario(line), [("duration", "5 s")])
    links = run_scenario(scenario)["links"].filter(pl.col("from") == "server")
    assert (links["losses"] - links["delivered"]).item() in (0, 1)


def test_packets_of_a_list_are_dropped() -> None:
    # The first flight of the server: its handshake, which is sent again after three initial
    # round trips of 333 ms (RFC 9002, section 6.2); the window then grows more slowly.
    listed = run(f"droplist {PATH} --drops_to_client=1")
    assert listed["losses"] == 1
    late = listed["completion_s"] - run(f"simple-p2p {PATH}")["completion_s"]
    assert 0.99 < late < 2.0


def test_a_black_hole_takes_its_time(undisturbed: dict[str, Any]) -> None:
    line = f"blackhole {PATH} --on=2s --off=1s"
    once, twice = run(line), run(f"{line} --repeat=2")
    lasted = [it["completion_s"] - undisturbed["completion_s"] for it in (once, twice)]
    # A probe timeout doubles while nothing is acknowledged, so that the pause is at most twice as
    # long, and a timeout more.
    assert 1.0 < lasted[0] < 2.5 and 2.0 < lasted[1] < 5.0
    assert run(f"{line} --direction=toserver")["losses"] == 0


def test_traffic_beside_it_takes_its_share(undisturbed: dict[str, Any]) -> None:
    beside_tcp = run(f"tcp-cross-traffic {PATH}")
    assert beside_tcp["completion_s"] > 1.3 * undisturbed["completion_s"]
    flows = beside_tcp["results"]["flows"]
    assert flows.filter(pl.col("flow") == "cross")["goodput_bps"].item() > 5e6
    # Towards the server, from 20 s on.
    run(f"udp-cross-traffic {PATH} --crossdatarate=3Mbps")


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("simple-p2p --delay=15ms", "simple-p2p also needs --bandwidth=… --queue=…"),
        (f"simple-p2p {PATH} --qeue=3", "simple-p2p has no parameter --qeue; did you mean `queue`"),
        (f"simple-p2p {PATH} 3", "3: write each parameter of simple-p2p as --name=value"),
        (f"simple-p2p {PATH} '", "No closing quotation"),
        ("simple-p2p --delay=15ms --bandwidth=10Mbps --queue=many", "--queue=25"),
        (f"drop-rate {PATH} --rate_to_client=101 --rate_to_server=1", "from 0 to 100"),
        (f"droplist {PATH} --drops_to_client=1,x", "--drops_to_client=x: write a whole number"),
        (f"blackhole {PATH} --on=5 --off=2s", "--on=5: write a time with its unit"),
        (f"blackhole {PATH} --on=5s --off=2s --repeat=0", "at least 1"),
        (f"blackhole {PATH} --on=5s --off=2s --direction=back", "--direction=back"),
    ],
)
def test_what_is_wrong_with_a_line_is_one_message(line: str, wrong: str) -> None:
    with pytest.raises(interop.InteropError) as error:
        interop.scenario(line)
    assert wrong in str(error.value)


def test_new_prints_the_file(windtunnel: Command) -> None:
    line = f"simple-p2p {PATH}"
    printed = windtunnel("new", line)
    assert (printed.returncode, printed.stdout) == (0, interop.scenario(line))
    assert windtunnel("new", "simple-p2p --delay=15ms").returncode == 2
