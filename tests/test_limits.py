"""What `run` says of the buffers that limit flows."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from windtunnel import Results, run, summary
from windtunnel.measures.limits import LIMITS, limited_by_buffers

LONG_FAT = """\
duration = "20 s"
nodes = { a = {}, b = {} }
defaults.link.queue.limit = "20000 packets"
links.l = { nodes = ["a", "b"], rate = "1 Gbps", delay = "100 ms" }
[flows.f]
from = "a"
to = "b"
controller = "cubic"
"""
"""A path that holds 25 MB, of which a send buffer of 4 MiB allows 168 Mbps."""


TWO = """\
duration = "2 s"
[topologies.d]
kind = "dumbbell"
pairs = 2
link = { rate = "10 Mbps", delay = "20 ms" }
access = { rate = "100 Mbps", delay = "1 ms" }
[flows.x]
from = "d-sender-*"
to = "d-receiver-*"
pattern = "one-to-one"
controller = "cubic"
"""


def results_of(folder: Path, text: str, **settings: object) -> Results:
    """Run a scenario."""
    file = folder / "scenario.toml"
    file.write_text(text)
    dotted = {name.replace("__", "."): value for name, value in settings.items()}
    return run(file, settings=dotted, progress=False)


def test_a_flow_that_its_send_buffer_limits_is_told_with_its_size_and_its_key(
    tmp_path: Path,
) -> None:
    results = results_of(tmp_path, LONG_FAT)
    [flow] = results["flows"].rows(named=True)
    # A buffer a round trip, after slow start.
    assert flow["goodput_bps"] < 2**22 * 8 / 0.2
    assert sum(flow[it] for it in LIMITS) == pytest.approx(20, abs=1e-9)
    said = summary.text(results)
    share = flow["send_buffer_limited_s"] / 20
    assert (
        f"f: {flow['goodput_bps'] / 1e6:.0f} of 1000 Mbps: limited {share:.0%} of the time by its "
        "4 MiB send buffer; raise `buffers.send`" in said
    )


def test_the_size_of_a_buffer_is_that_of_the_scenario_and_its_case(tmp_path: Path) -> None:
    cases = """
[compare.buffer]
small = { "flows.f.buffers.send" = "1 MB" }
large = { "flows.f.buffers.send" = "100 MB", "flows.f.buffers.maximum_receive" = "2 MB" }
"""
    said = summary.text(results_of(tmp_path, LONG_FAT + cases))
    assert "f (small): " in said and "by its 1 MB send buffer; raise `buffers.send`" in said
    assert "by its 2 MB receive buffer; raise `buffers.maximum_receive`" in said


def test_a_buffer_that_is_raised_is_told_no_more(tmp_path: Path) -> None:
    larger = {"flows__f__buffers__send": "64 MB", "flows__f__buffers__maximum_receive": "64 MB"}
    assert "limited" not in summary.text(results_of(tmp_path, LONG_FAT, **larger))


def test_flows_of_one_buffer_are_told_together(tmp_path: Path) -> None:
    small = {"flows__x__buffers__send": "10 kB"}
    said = summary.text(results_of(tmp_path, TWO, **small))
    assert "x-1, x-2: limited" in said and "by their 10 kB send buffer" in said


def test_results_of_earlier_versions_say_nothing_of_limits(tmp_path: Path) -> None:
    results = results_of(tmp_path, LONG_FAT, duration="1 s")
    flows = results["flows"].drop(*LIMITS, "unfinished_transfers")
    results.tables["flows"] = flows
    assert limited_by_buffers(results) == []
    assert "limited" not in summary.text(results)


def test_a_sum_of_limits_is_the_time_of_each_flow(tmp_path: Path) -> None:
    results = results_of(tmp_path, TWO)
    sums = results["flows"].select(pl.sum_horizontal(LIMITS)).to_series()
    assert sums.to_list() == pytest.approx([2.0, 2.0])
