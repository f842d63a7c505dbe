"""Plots: charts that a notebook shows, one method each."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

import altair as alt
from altair.utils.schemapi import debug_mode

from windtunnel.measures.frame import StudyFrame
from windtunnel.pictures import kinds
from windtunnel.pictures.charts import Drawing
from windtunnel.pictures.colours import LIGHT
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.studies import by_name
from windtunnel.tables import ResultTables

SUBTITLE = 90
"""Characters of a line under a chart's title."""

APART = 24
"""Pixels between charts."""


@dataclass(frozen=True)
class ResultPlots:
    """The plots of results: the pictures of their report.

    Each is an Altair chart: `chart.save("window.svg")` saves it, also as PNG or PDF. If the
    cases need several pictures, they are drawn below each other. Raises ResultsError if
    there is nothing to draw.
    """

    results: ResultTables

    def __call__(self, kind: str) -> alt.TopLevelMixin:
        """Plot a kind by its name. Raises ResultsError, with the known kinds."""
        return chart(kinds.some_of_kind(self.results, kind))

    def goodput(self) -> alt.TopLevelMixin:
        """Plot what was received over time, summed over the flows of each case and controller."""
        return self("goodput")

    def each_flow(self) -> alt.TopLevelMixin:
        """Plot the goodput of each flow over time, one picture per case."""
        return self("each-flow")

    def window(self) -> alt.TopLevelMixin:
        """Plot the congestion window over time, as the mean of the flows."""
        return self("window")

    def queue(self) -> alt.TopLevelMixin:
        """Plot the longest queue over time."""
        return self("queue")

    def delay(self) -> alt.TopLevelMixin:
        """Plot the delay from the first transmission to Data or acknowledgement over time."""
        return self("delay")

    def drops(self) -> alt.TopLevelMixin:
        """Plot the packets dropped per second on all links."""
        return self("drops")

    def bars(self) -> alt.TopLevelMixin:
        """Plot the goodput of each case as bars, with its spread over the runs."""
        return self("bars")

    def sinr(self) -> alt.TopLevelMixin:
        """Plot the SINR over time of the radio link that carries the most data."""
        return self("sinr")

    def rate(self) -> alt.TopLevelMixin:
        """Plot the rate over time of the link with a channel that carries the most data."""
        return self("rate")

    def map(self) -> alt.TopLevelMixin:
        """Plot the path of the radio user on a map."""
        return self("map")

    def completion_by_size(self) -> alt.TopLevelMixin:
        """Plot the completion times of transfers by size."""
        return self("completion-by-size")

    def time_sequence(self) -> alt.TopLevelMixin:
        """Plot the packets of the flows whose packets were recorded, by number over time."""
        return self("time-sequence")


@dataclass(frozen=True)
class StudyPlots:
    """The plots of a study: its measures over its parameters.

    A measure is a column of the study's frame, or its name without the unit; `by`, `over`,
    `x` and `y` are parameters (default: what the report chooses). Each plot is an Altair
    chart. Raises ResultsError for an unknown name.
    """

    results: StudyFrame

    def compare(
        self, measure: str, by: str | None = None, over: str | None = None
    ) -> alt.TopLevelMixin:
        """Plot a measure with its interval over a parameter, one line per value of another."""
        return chart([by_name.compare(self.results, measure, by, over)])

    def heat_map(self, measure: str, x: str, y: str) -> alt.TopLevelMixin:
        """Plot the mean of a measure over two parameters as a heat map."""
        return chart([by_name.heat_map(self.results, measure, x, y)])

    def pareto(self, by: str | None = None) -> alt.TopLevelMixin:
        """Plot the goodput against the delay, with the Pareto front."""
        return chart([by_name.pareto(self.results, by)])

    def distribution(self, measure: str, by: str | None = None) -> alt.TopLevelMixin:
        """Plot the distribution function of a measure, for each value of a parameter."""
        return chart([by_name.distribution(self.results, measure, by)])

    def box(self, measure: str, by: str | None = None) -> alt.TopLevelMixin:
        """Plot a box of a measure for each value of a parameter."""
        return chart([by_name.box(self.results, measure, by)])


def chart(drawn: list[Picture]) -> alt.TopLevelMixin:
    """Draw pictures with their titles, several of them below each other."""
    # Without validation, which takes as long as drawing.
    with debug_mode(False):
        charts = [titled(picture) for picture in drawn]
        if len(charts) == 1:
            return charts[0]
        # Vega-Lite allows a configuration at the top level only.
        config = charts[0].config
        for one in charts:
            one.config = alt.Undefined
        return alt.vconcat(*charts, spacing=APART, config=config)


def titled(picture: Picture) -> Drawing:
    """Draw a picture with its title and caption."""
    title = alt.Title(
        textwrap.wrap(picture.title, SUBTITLE),
        subtitle=textwrap.wrap(picture.caption, SUBTITLE),
        anchor="start",
        color=LIGHT.text,
        subtitleColor=LIGHT.soft,
    )
    return picture.chart(LIGHT).properties(title=title)
