"""The Linux kernel as a host: each controller carries what it should, and runs repeat."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import pages
from conftest import OVER_KERNEL, Command, needs_kernel
from windtunnel.linux.kernels import folder_of
from windtunnel.package_data import SCENARIOS
from windtunnel.results import Results
from windtunnel.running import read, run_scenario

FILE = SCENARIOS / OVER_KERNEL
SHARE_OF_DATA = 1448 / 1500
"""Of a full packet with timestamps."""
BASE_S = 0.040
"""The round trip of the scenario without queues."""


@pytest.fixture(scope="module")
def results() -> Results:
    return run_scenario(read(FILE))


pytestmark = needs_kernel


@pytest.mark.skipif(
    not (Path("/usr/sbin/nginx").exists() and shutil.which("curl")), reason="no nginx, or no curl"
)
def test_the_page_does_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    shutil.copytree(folder_of("6.12"), cache / "linux" / "6.12")
    monkeypatch.setenv("WINDTUNNEL_CACHE", str(cache))
    (tmp_path / "scenarios").symlink_to(SCENARIOS)
    pages.follow(pages.text("linux.md"), tmp_path, ["sudo apt-get install"])


def test_the_scenario_that_comes_along_is_valid(windtunnel: Command) -> None:
    checked = windtunnel("check", FILE)
    assert (checked.returncode, "valid" in checked.stdout) == (0, True), checked.stderr


@pytest.mark.parametrize("controller", ["CUBIC", "BBR", "DCTCP"])
def test_the_kernel_fills_the_link_as_its_model_does(results: Results, controller: str) -> None:
    flows = {row["transport"]: row for row in results["flows"].to_dicts()}
    kernel, model = flows[f"Linux, {controller}"], flows[controller]
    rate = 10e6 * SHARE_OF_DATA
    assert 0.9 * rate < kernel["goodput_bps"] <= rate
    assert kernel["goodput_bps"] == pytest.approx(model["goodput_bps"], rel=0.05)
    # No round trip is shorter than the path; a queue of 34 full packets adds as much at most.
    longest = BASE_S + 35 * 1500 * 8 / 10e6
    assert BASE_S <= kernel["delay_minimum_s"] <= kernel["rtt_s"] <= longest
    assert kernel["rtt_s"] == pytest.approx(model["rtt_s"], rel=0.1)


def test_dctcp_is_marked_and_never_dropped(results: Results) -> None:
    rows = [it for it in results["links"].to_dicts() if it["transport"] == "Linux, DCTCP"]
    [queue] = [it for it in rows if (it["link"], it["from"]) == ("bottleneck", "router")]
    assert queue["marks"] > 0
    assert queue["overlimit_drops"] + queue["discipline_drops"] == 0


@pytest.mark.parametrize("controller", ["cubic", "bbr", "dctcp", "reno"])
def test_runs_repeat(windtunnel: Command, tmp_path: Path, controller: str) -> None:
    """The times, sizes and bytes of all packets are the same in two runs."""
    file = tmp_path / "one.toml"
    file.write_text(
        f"""title = "One flow"
duration = "2 s"
nodes = {{ server = {{}}, client = {{}} }}
links.path = {{ nodes = ["server", "client"], rate = "10 Mbps", delay = "20 ms" }}
[flows.copy]
from = "server"
to = "client"
protocol = "tcp-stack"
tcp = {{ stack = "linux", controller = "{controller}" }}
""",
        encoding="utf-8",
    )
    checked = windtunnel("check", file.name, "--stacks", "--json")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    [flow] = json.loads(checked.stdout)["flows"]
    assert flow["difference"] is None
