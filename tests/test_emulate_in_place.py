"""`emulate --in-place-of`: real programs, and a simulated flow in their place, in one result."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from conftest import Command
from test_emulate import NETWORK, needs_namespaces
from windtunnel.results import Results

FLOW = 'flows.download = { from = "client", to = "server", controller = "cubic" }\n'
CALL = 'flows.call = { from = "client", to = "server", protocol = "udp", rate = "1 Mbps" }\n'


@pytest.fixture
def network(tmp_path: Path) -> Path:
    """Write a network with two flows."""
    file = tmp_path / "network.toml"
    file.write_text(NETWORK.replace("100 Mbps", "20 Mbps") + FLOW + CALL, encoding="utf-8")
    return file


@needs_namespaces
@pytest.mark.skipif(shutil.which("iperf3") is None, reason="there is no iperf3")
def test_both_are_in_one_result_and_one_report(
    windtunnel: Command, network: Path, tmp_path: Path
) -> None:
    out = tmp_path / "both"
    command = ["emulate", network, "--in-place-of", "download", "--out", out]
    command += ["--at", "server=iperf3 -s -1", "--", "iperf3", "-c", "server", "-t", "3"]
    done = windtunnel(*command)
    assert done.returncode == 0, done.stderr
    results = Results.load(out)
    assert results.axes == ["where"]
    lasted = dict(results["runs"].select("where", "duration_s").iter_rows())
    assert lasted["emulated"] == pytest.approx(lasted["simulated"], abs=1e-6)
    flows = {it["where"]: it for it in results["flows"].filter(flow="download").to_dicts()}
    assert set(results["flows"].filter(flow="call")["where"]) == {"emulated", "simulated"}
    controllers = {where: it["flow_controller"] for where, it in flows.items()}
    assert controllers == {"emulated": "real programs", "simulated": "cubic"}
    # iperf3 says the same, of its own seconds.
    measured = re.findall(r"([\d.]+) Mbits/sec +receiver", done.stdout + done.stderr)
    goodput = flows["emulated"]["goodput_bps"] * lasted["emulated"] / 3
    assert goodput == pytest.approx(float(measured[-1]) * 1e6, rel=0.1)
    links = results["links"].filter(link="line", **{"from": "client"})
    rates = dict(links.select("where", "throughput_bps").iter_rows())
    # Both fill the link, except for how they begin and end.
    assert 15e6 < rates["emulated"] <= 20e6
    assert 15e6 < rates["simulated"] <= 20e6
    assert set(results["link_series"]["where"]) == {"emulated", "simulated"}
    assert results.manifest["emulation"]["directions"]
    assert windtunnel("report", out).returncode == 0
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "emulated" in page
    assert "simulated" in page


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--in-place-of", "download"], ["--in-place-of needs --out"]),
        (["--in-place-of", "nope", "--out", "x"], ["there is no `nope` in flows", "download"]),
    ],
)
def test_mistakes_are_explained(
    windtunnel: Command, network: Path, tmp_path: Path, arguments: list[str], words: list[str]
) -> None:
    answered = windtunnel("emulate", network, *arguments, "--", "true", cwd=tmp_path)
    assert answered.returncode == 2
    assert all(it in answered.stderr for it in words), answered.stderr
