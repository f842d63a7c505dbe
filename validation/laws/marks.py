"""Response functions of schemes that count marks: the mean window under random marks.

No queue marks with a given probability, so that one is made: large datagrams arrive at
random on a very fast link, and what waits behind one of them is marked. They are so
short and so rare that marks fall on single segments.
"""

from __future__ import annotations

import math

import polars as pl

from laws.responses import ROUND_TRIP, Fit, Response
from laws.simulate import SEGMENT, each, simulate

SHARES = (10**-1, 10**-1.25, 10**-1.5, 10**-1.75, 10**-2)
"""Probabilities."""
WINDOWS = 15
"""How many round trips a run has for each segment of the window, which the first mark
leaves small: as many as the window has segments bring it up."""
RUNS = 3
WARM_UP = 0.2
RATE = 100e9
DATAGRAM = 65_000
THRESHOLD = 0.5e-6
"""What waits longer is marked, in seconds: more than segments wait for each other."""


def constant(unmarked: float) -> float:
    """Give the window times the share of marks.

    The window decreases by half the share `p` once per round trip. With `x = w p` marks in each, a
    decrease comes every `1 + 1/x` round trips, in which the window grows by `unmarked`
    each, the share of segments that let it grow: `x / 2 = unmarked (1 + 1/x)`.
    """
    return unmarked + math.sqrt(unmarked**2 + 2 * unmarked)


def dctcp(share: float) -> float:
    """Give DCTCP's mean window: marked segments let it grow, too."""
    return constant(1) / share


def prague(share: float) -> float:
    """Give Prague's mean window: only unmarked segments let it grow."""
    return constant(1 - share) / share


def mean_windows(case: tuple[Response, float]) -> pl.DataFrame:
    """Run one at a probability; give a row for each run."""
    response, share = case
    window = response.window(share)
    seconds = WINDOWS * window * ROUND_TRIP
    busy = (DATAGRAM + 28) * 8 / RATE
    off = f"{(busy - THRESHOLD) / share * 1e6:.3f} us"
    workload = f'{{ kind = "on-off", on = "1 ns", off = "{off}", periods = "exponential" }}'
    results = simulate(
        {
            "duration": f'"{seconds:.3f} s"',
            "recording.interval": f'"{seconds * WARM_UP:.3f} s"',
            "runs": str(RUNS),
            "links.path.rate": f'"{RATE:.0f} bps"',
            "links.path.queue": '{ kind = "codel", limit = "100000 packets", target = "1 s", '
            f'action = "mark", ce_threshold = "{THRESHOLD * 1e9:.0f} ns" }}',
            "flows.one": f"{{ controller = {response.controller}, pacing = true }}",
            "flows.cross": f'{{ protocol = "udp", rate = "1 Tbps", payload = "{DATAGRAM} B", '
            f"workload = {workload} }}",
        }
    )
    counted = pl.col("time_s") > seconds * WARM_UP * 1.01
    series = results["flow_series"].filter(counted & (pl.col("flow") == "one"))
    means = series.group_by("run", maintain_order=True).agg(pl.col("goodput_bps").mean())
    return means.select(
        "run", loss=pl.lit(share), window=pl.col("goodput_bps") * ROUND_TRIP / 8 / SEGMENT
    )


def fits() -> list[Fit]:
    """Run both."""
    known = [
        Response("DCTCP", '"dctcp"', "(1 + √3)/p, marks", dctcp, losses=SHARES),
        Response(
            "Prague", '"prague"', "(u + √(u² + 2u))/p, marks, u = 1 − p", prague, losses=SHARES
        ),
    ]
    cases = [(response, share) for share in reversed(SHARES) for response in known]
    frames = iter(each(mean_windows, cases))
    windows = pl.concat(
        next(frames).with_columns(name=pl.lit(response.name)) for response, _ in cases
    )
    return [Fit(it, windows.filter(pl.col("name") == it.name).sort("loss")) for it in known]
