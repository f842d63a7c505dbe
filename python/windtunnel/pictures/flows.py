"""Pictures of single flows over time."""

from __future__ import annotations

from functools import partial

import polars as pl

from windtunnel.measures.columns import DELAY, GOODPUT, MeasuredColumn
from windtunnel.pictures import colours, series
from windtunnel.pictures.cases import Comparison, Line, ranked
from windtunnel.pictures.over_time import MOST_DETAILS, WINDOW, over_time
from windtunnel.pictures.picture import Picture


def each_flow(comparison: Comparison) -> list[Picture]:
    """Draw the goodput of each flow over time, one picture per case."""
    return [
        picture
        for case in range(len(comparison.cases))
        for picture in flows_of(comparison, case, f"each-flow-{case + 1}")
    ]


def flows_of(comparison: Comparison, case: int, name: str) -> list[Picture]:
    """Draw the goodput of the flows of a case over time."""
    lines = lines_of_flows(comparison, case)
    get = partial(goodput_of_flows, comparison["flow_series"].filter(case=case))
    title = ": ".join(["Goodput of each flow", *comparison.parts(case)])
    return over_time(name, title, GOODPUT, lines, get)


def lines_of_flows(comparison: Comparison, case: int) -> list[Line]:
    """Give a line for each flow; several of one controller get the first hues of the list."""
    flows = comparison["flows"].filter(case=case)
    pairs = flows.select("flow", "flow_controller").unique(maintain_order=True).rows()
    controllers = [controller for _, controller in pairs]
    hues = controllers if len(set(controllers)) == len(pairs) else colours.registered()
    return ranked((case, (flow,), hue) for (flow, _), hue in zip(pairs, hues, strict=False))


def goodput_of_flows(samples: pl.DataFrame, lines: list[Line]) -> series.Series:
    """Give the goodput of the flows that lines are named after."""
    names = pl.DataFrame({"flow": [it.parts[0] for it in lines], "line": [it.name for it in lines]})
    named = samples.join(names, on="flow", maintain_order="left")
    return series.over_runs(named.select("line", "time_s", value="goodput_bps"))


def flows(comparison: Comparison) -> list[Picture]:
    """Draw goodput, window and delay of each flow, where there are several."""
    if len(comparison.flows) < 2:
        return []
    measures = (GOODPUT, WINDOW, DELAY)
    return [
        picture
        for index, flow in enumerate(comparison.flows[: MOST_DETAILS // len(measures)], start=1)
        for measure in measures
        for picture in one_flow(comparison, flow, measure, f"flow-{index}-{measure.title}")
    ][:MOST_DETAILS]


def one_flow(
    comparison: Comparison, flow: str, measure: MeasuredColumn, name: str
) -> list[Picture]:
    """Draw something measured of a flow over time, by case."""
    get = partial(series.of_one_flow, comparison, measure.column, flow=flow)
    title = f"{flow}: {measure.title}"
    return over_time(name, title, measure, comparison.by_case(flow), get)
