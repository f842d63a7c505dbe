"""What limited flows, and for how long.

At each moment one limit keeps a TCP sender from sending more, so that the times of all limits are
the time of the flow's connections.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import polars as pl

from windtunnel import _core
from windtunnel.measures.directions import hops, spanning_tree
from windtunnel.measures.flows import active_goodput
from windtunnel.measures.links import MEAN_RATE, with_shapers
from windtunnel.tables import ResultTables
from windtunnel.values import values_of_case

SEND_BUFFER, RECEIVE_WINDOW = "send_buffer_limited_s", "receive_window_limited_s"

LIMITS = (
    "handshake_s",
    "idle_s",
    "application_limited_s",
    "cwnd_limited_s",
    "pacing_limited_s",
    "host_queue_limited_s",
    RECEIVE_WINDOW,
    SEND_BUFFER,
)
"""The columns of `flows` that say for how long each limit was in force."""

Values = dict[str, Any]


@dataclass(frozen=True)
class Buffer:
    """A buffer that limits a flow."""

    name: str
    key: str | None = None
    """The key of the scenario that sets its size, if it has one."""
    size: str | None = None
    """Its size, as in the scenario or by default."""

    def __str__(self) -> str:
        """Name it with its size, and say how it becomes larger."""
        size = f"{self.size} " if self.size else ""
        advice = f"; raise `{self.key}`" if self.key else ""
        return f"{size}{self.name}{advice}"


@dataclass(frozen=True)
class Limited:
    """A flow that a buffer limited for longer than anything else did."""

    case: tuple[str, ...]
    """Its name on each axis."""
    flow: str
    buffer: Buffer
    share: float
    """The share of its connections' time in which the buffer limited it, over all runs."""
    goodput_bps: float
    """While it was active."""
    capacity_bps: float | None
    """The rate of the slowest link on its path; None where several paths are possible."""


def limited_by_buffers(results: ResultTables) -> list[Limited]:
    """List the flows that a buffer limited for longer than anything else did."""
    flows = results["flows"]
    # Results of earlier versions do not have them.
    if not set(LIMITS).issubset(flows.columns):
        return []
    total = pl.sum_horizontal(LIMITS)
    keys = [*results.axes, "flow"]
    summed = flows.group_by([*keys, "peer", "node"], maintain_order=True).agg(
        pl.col(*LIMITS).sum(), goodput_bps=active_goodput(flows).mean()
    )
    longest = pl.max_horizontal(RECEIVE_WINDOW, SEND_BUFFER)
    limited = summed.filter(total > 0, longest == pl.max_horizontal(LIMITS)).with_columns(
        share=longest / total, is_sent=pl.col(SEND_BUFFER) == longest
    )
    # Tables of several experiments have no one scenario.
    values = cache(partial(values_of_case, getattr(results, "scenario", ""), tuple(results.axes)))
    capacities = Capacities(results)
    return [
        Limited(
            case,
            row["flow"],
            (send_buffer if row["is_sent"] else receive_buffer)(values(case), row["flow"]),
            row["share"],
            row["goodput_bps"],
            capacities.of(case, row["peer"], row["node"]),
        )
        for row in limited.to_dicts()
        for case in [tuple(row[axis] for axis in results.axes)]
    ]


def send_buffer(values: Values, flow: str) -> Buffer:
    """Describe a flow's send buffer."""
    return Buffer("send buffer", "buffers.send", setting(values, flow, "send"))


def receive_buffer(values: Values, flow: str) -> Buffer:
    """Describe what limits the window that a flow's receiver advertises."""
    own = sections(flow)
    if any(it.startswith(tuple(f"{name}.split" for name in own)) for it in values):
        return Buffer("proxy's buffer")
    if any(f"{name}.receiver_controller" in it for it in values for name in own):
        return Buffer("receiver's controller")
    fixed = any(f"{name}.buffers.receive" in values for name in own)
    key = "receive" if fixed else "maximum_receive"
    return Buffer("receive buffer", f"buffers.{key}", setting(values, flow, key))


def sections(flow: str) -> list[str]:
    """List the sections of a scenario that can have a flow's keys, its own one first."""
    # Flows of a pattern have the name of its section, and a number.
    names = [flow, re.sub(r"-\d+$", "", flow)]
    return [*(f"flows.{name}" for name in names), "defaults.flow"]


def setting(values: Values, flow: str, key: str) -> str:
    """Give the size of a flow's buffer, or its default."""
    keys = (f"{it}.buffers.{key}" for it in sections(flow))
    found = (values[it] for it in keys if it in values)
    return str(next(found, None) or defaults()[key])


@cache
def defaults() -> dict[str, str]:
    """Give the sizes of the buffers of flows that say nothing of them."""
    schema: dict[str, Any] = json.loads(_core.schema())
    sizes: dict[str, str] = schema["$defs"]["FlowDefaults"]["properties"]["buffers"]["default"]
    return sizes


class Capacities:
    """The rates of the slowest links on paths."""

    def __init__(self, results: ResultTables) -> None:
        """Read the links of all cases."""
        links = with_shapers(results).with_columns(rate=MEAN_RATE)
        keys = [*results.axes, "from", "to"]
        self.rates = {
            tuple(key): rate
            for *key, rate in links.group_by(keys).agg(pl.col("rate").mean()).rows()
        }
        # Of all cases: where they have different networks, several paths seem possible.
        pairs = results["links"].select("from", "to").unique(maintain_order=True).rows()
        self.parents, self.depths = spanning_tree(pairs)
        self.is_tree = len({frozenset(it) for it in pairs}) == len(self.parents)

    def of(self, case: tuple[str, ...], source: str, to: str) -> float | None:
        """Give the rate of the slowest link from one node to another, if there is one path."""
        if not self.is_tree:
            return None
        crossed = hops(source, to, self.parents, self.depths)
        rates = [self.rates.get((*case, *it)) for it in crossed]
        known = [it for it in rates if it is not None]
        return min(known) if known and len(known) == len(rates) else None
