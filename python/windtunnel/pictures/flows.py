"""Pictures of single flows over time."""

from __future__ import annotations

from functools import partial

import polars as pl

from windtunnel.measures.columns import RECEIVED
from windtunnel.pictures import series
from windtunnel.pictures.cases import Comparison, Line
from windtunnel.pictures.over_time import over_time
from windtunnel.pictures.picture import Picture


def each_flow(comparison: Comparison) -> list[Picture]:
    """Draw what each flow received over time, one picture per case."""
    return [
        picture
        for case in range(len(comparison.cases))
        for picture in flows_of(comparison, case, f"each-flow-{case + 1}")
    ]


def flows_of(comparison: Comparison, case: int, name: str) -> list[Picture]:
    """Draw what the flows of a case received over time."""
    lines = lines_of_flows(comparison, case)
    get = partial(goodput_of_flows, comparison["flow_series"].filter(case=case))
    title = ": ".join(["Data received by each flow", *comparison.parts(case)])
    return over_time(name, title, RECEIVED, lines, get)


def lines_of_flows(comparison: Comparison, case: int) -> list[Line]:
    """Give a line for each flow."""
    flows = comparison["flows"].filter(case=case)
    pairs = flows.select("flow", "flow_controller").unique(maintain_order=True).rows()
    return comparison.ranked(
        ((case, (flow,), controller) for flow, controller in pairs), [flow for flow, _ in pairs]
    )


def goodput_of_flows(samples: pl.DataFrame, lines: list[Line]) -> series.Series:
    """Give what the flows received that lines are named after."""
    names = pl.DataFrame({"flow": [it.parts[0] for it in lines], "line": [it.name for it in lines]})
    named = samples.join(names, on="flow", maintain_order="left")
    return series.over_runs(named.select("line", "time_s", value=RECEIVED.column))
