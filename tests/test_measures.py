"""Measures of papers: what must come out of tables made by hand."""

from __future__ import annotations

import polars as pl
import pytest

from windtunnel import summary
from windtunnel.measures.columns import described
from windtunnel.measures.definitions import columns
from windtunnel.measures.flows import fairness
from windtunnel.measures.losses import LOST
from windtunnel.measures.measure import VALUE
from windtunnel.papers.paper import find_paper, module
from windtunnel.report import tables
from windtunnel.results import Results

own = module(find_paper("d-tcp").folder / "measures.py")
"""What only that paper measures."""


def results(**tables: pl.DataFrame) -> Results:
    """Give results of these tables."""
    return Results([], tables)


def series(**goodputs: list[float]) -> pl.DataFrame:
    """Give the goodput of flows over time, sampled each second, in one run."""
    rows = [
        (0, flow, float(second), value)
        for flow, values in goodputs.items()
        for second, value in enumerate(values, start=1)
    ]
    return pl.DataFrame(rows, ["run", "flow", "time_s", "goodput_bps"], orient="row")


def value(frame: pl.DataFrame) -> float:
    """Give the only value of a measure."""
    only: float = frame[VALUE].item()
    return only


def test_fairness_counts_from_when_the_last_flow_delivers() -> None:
    shared = results(flow_series=series(a=[9, 9, 2, 2], b=[0, 1, 2, 2]))
    assert value(fairness(shared, ["run"])) == pytest.approx(1)
    assert value(own.fairness_ratio(shared, ["run"])) == pytest.approx(1)


def test_a_flow_that_has_everything_is_as_unfair_as_can_be() -> None:
    shared = results(flow_series=series(a=[1, 8, 8], b=[1, 0, 0], c=[1, 0, 0], d=[1, 0, 0]))
    assert value(fairness(shared, ["run"])) == pytest.approx(1 / 4)
    assert value(own.fairness_ratio(shared, ["run"])) == 0


def test_one_flow_alone_shares_nothing() -> None:
    assert fairness(results(flow_series=series(a=[1, 2])), ["run"]).is_empty()


def flows(rows: list[tuple[str, int, str, float]]) -> pl.DataFrame:
    """Give what flows received by controller and run."""
    return pl.DataFrame(rows, ["controller", "run", "flow", "received_bytes"], orient="row")


def test_plucking_is_what_others_lose_against_reno_in_the_same_run() -> None:
    rows = [("reno", run, flow, 10.0) for run in (0, 1) for flow in ("tested", "b", "c")]
    rows += [("new", 0, flow, 5.0) for flow in ("b", "c")] + [("new", 0, "tested", 30.0)]
    rows += [("new", 1, flow, 12.0) for flow in ("b", "c")] + [("new", 1, "tested", 6.0)]
    taken = own.plucking(results(flows=flows(rows)), ["controller", "run"])
    found = {tuple(row[:2]): row[2] for row in taken.rows()}
    assert found == pytest.approx(
        {("reno", 0): 0, ("reno", 1): 0, ("new", 0): 0.5, ("new", 1): -0.2}
    )


def test_without_a_tested_flow_there_is_no_plucking() -> None:
    alone = results(flows=flows([("reno", 0, "download", 1.0)]))
    assert own.plucking(alone, ["controller", "run"]).is_empty()


def samples(possible: str, reached: str) -> list[dict[str, object]]:
    """Give samples each second: x where the channel allows the most, or it is reached."""
    pairs = enumerate(zip(possible, reached, strict=True), start=1)
    return [
        {"time_s": float(at), "possible": a == "x", "reached": b == "x"} for at, (a, b) in pairs
    ]


@pytest.mark.parametrize(
    ("possible", "reached", "found"),
    [
        ("x..xx", "x..xx", [1.0]),
        ("x..xxxx", "x....xx", [3.0]),
        # Never: all the time until the channel falls, or until the end.
        ("x.xxx.", "x.....", [4.0]),
        ("x.xxx", "x....", [3.0]),
        ("x.xx.xx", "x.xx.xx", [1.0, 1.0]),
        # What was reached before the channel fell is no recovery.
        ("xxx", "..x", []),
    ],
)
def test_a_recovery_lasts_from_the_channel_to_the_throughput(
    possible: str, reached: str, found: list[float]
) -> None:
    assert own.recoveries(samples(possible, reached)) == found


def test_sinr_is_that_towards_the_user() -> None:
    rows = [
        (0, "air", "station", "phone", 1.0, True, 30.0),
        (0, "air", "phone", "station", 1.0, True, 20.0),
        (0, "air", "station", "phone", 2.0, False, -3.0),
        (0, "air", "phone", "station", 2.0, False, -13.0),
        (0, "air", "station", "phone", 3.0, False, -5.0),
        (0, "air", "phone", "station", 3.0, False, -15.0),
    ]
    columns = ["run", "link", "from", "to", "time_s", "line_of_sight", "sinr_db"]
    seen = results(channel_series=pl.DataFrame(rows, columns, orient="row"))
    assert value(own.maximum_sinr(seen, ["run"])) == 30
    assert value(own.minimum_sinr(seen, ["run"])) == -5
    assert value(own.sinr_when_hidden(seen, ["run"])) == -4


def test_only_columns_that_tables_have_get_other_names() -> None:
    named = {*tables.FIRST, *(it.source for it in summary.COLUMNS)} - {LOST}
    assert named.union(*tables.LEFT_OUT.values()) <= columns().keys()


def test_a_column_s_name_becomes_words_and_a_unit() -> None:
    said = {name: described(name) for name in ("goodput_bps", "nacks_in", "rtt_s", "timeouts")}
    assert {name: (it.title, it.unit) for name, it in said.items()} == {
        "goodput_bps": ("goodput", "bit/s"),
        "nacks_in": ("NACKs in", ""),
        "rtt_s": ("RTT", "s"),
        "timeouts": ("timeouts", ""),
    }
