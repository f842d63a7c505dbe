"""Response functions: the mean window under random loss, fitted by regression.

A fast link loses each packet with probability p and nothing else, so that no queue
forms; the round trip is 100 ms, every segment is acknowledged. The mean window is
goodput times round trip. A power law is a line in logarithms: least squares give
its slope and its constant.
"""

from __future__ import annotations

import math
import random
import statistics
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from laws.simulate import PACKET, SEGMENT, Law, around, each, simulate

ROUND_TRIP = 0.1
LOSSES = {1e-2: 300, 10**-2.5: 300, 1e-3: 200, 10**-3.5: 100, 1e-4: 60, 10**-4.5: 35, 1e-5: 25}
"""Probabilities, and how many losses each run sees."""
RUNS = 3
WARM_UP = 0.2
"""The share of a run that is not counted."""
ROOM = 10
"""How many mean windows fit on the link."""
TOLERANCE = 0.1


@dataclass(frozen=True)
class Response:
    """A response function: mean window = constant / p^slope."""

    name: str
    controller: str
    """As a scenario has it."""
    slope: float
    constant: float
    source: str
    highest: float = 1e-2
    """The probability up to which the law applies."""
    random_constant: float | None = None
    """The constant where the gaps between losses are exponential, if known."""

    def window(self, loss: float) -> float:
        """Give the mean window by the law, in segments."""
        return self.constant * loss**self.slope

    @property
    def fitted(self) -> list[float]:
        """The probabilities that the law is fitted to."""
        return [loss for loss in LOSSES if loss <= self.highest * 1.01]


def random_losses(growth: float, power: float, kept: float) -> float:
    """Give the constant of `dw = growth w^power` a round trip under random loss.

    Between two losses lie exponentially distributed numbers of segments, of mean
    1 / p. With `n` segments sent, `w^(2 - power)` grows by `growth (2 - power) n`;
    a round trip is `w` segments. For Reno it is 1.31 (Ott, Kemperman, Mathis 1996).
    """
    draw = random.Random(1)
    exponent, rest = 2 - power, 1 - power
    grown, round_trips, losses = 1.0, 0.0, 100_000
    for _ in range(losses):
        begin = kept * grown ** (1 / exponent)
        grown = begin**exponent + growth * exponent * draw.expovariate(1.0)
        round_trips += (grown ** (rest / exponent) - begin**rest) / (growth * rest)
    return losses / round_trips


def power_law(
    name: str, growth: float, power: float, kept: float, source: str, **more: object
) -> Response:
    """Give the response function of `dw = growth w^power` a round trip."""
    exponent, rest = 2 - power, 1 - power
    # With one loss for each 1 / p segments: what is sent between two losses, and how
    # long it takes, both in terms of the largest window.
    largest = (growth * exponent / (1 - kept**exponent)) ** (1 / exponent)
    constant = growth * rest / ((1 - kept**rest) * largest**rest)
    random_constant = random_losses(growth, power, kept)
    controller = more.pop("controller", f'"{name.lower()}"')
    slope = -1 / exponent
    return Response(
        name, controller, slope, constant, source, random_constant=random_constant, **more
    )


def responses() -> list[Response]:
    """Give all response functions that are known in closed form."""
    cubic = 1.0538 * ROUND_TRIP**0.75
    return [
        power_law("Reno", 1, 0, 0.5, "Mathis et al. 1997"),
        power_law("Veno", 1, 0, 0.8, "w_mean = √((2 − b) / 2bp), b = 0.2"),
        power_law(
            "D-TCP, N = 4",
            4,
            0,
            1 - 2 / 13,
            "its equation 27",
            controller='{ kind = "d-tcp", reading = "literal-alg1", most-flows = 4 }',
        ),
        Response("Agile-SD", '"agile-sd"', -0.5, 3.705, "λ from 3 to 1, β = 0.9"),
        Response("CUBIC", '"cubic"', -0.75, cubic, "RFC 9438, section 5.1", highest=1e-4),
        Response(
            "CUBIC, never Reno-friendly",
            '{ kind = "cubic", reno-friendly = false, fast-convergence = false }',
            -0.75,
            cubic,
            "RFC 9438, section 5.1",
        ),
        Response("HighSpeed", '"highspeed"', -0.835, 0.12, "RFC 3649, section 5", 10**-3.5),
        power_law("Compound", 1 / 8, 0.75, 0.5, "α = 1/8, k = 3/4", highest=1e-3),
        power_law("Elastic", 1, 0.5, 0.5, "√w a round trip, no queue"),
        Response(
            "Scalable", '"scalable"', -1, 0.01 / math.log(8 / 7), "a / p ln(1 / (1 − b))", 1e-3
        ),
    ]


@dataclass(frozen=True)
class Fit:
    """What was measured for a response function."""

    response: Response
    windows: pl.DataFrame
    """Columns `loss`, `run` and `window`."""

    @cached_property
    def lines(self) -> list[tuple[float, float]]:
        """Slope and constant of each run."""
        inside = self.windows.filter(pl.col("loss").is_in(self.response.fitted))
        lines = []
        for _, run in inside.group_by("run", maintain_order=True):
            line = statistics.linear_regression(
                run["loss"].log(10).to_list(), run["window"].log(10).to_list()
            )
            lines.append((line.slope, 10**line.intercept))
        return lines

    def law(self) -> Law:
        """Give the slope as a law."""
        slope = self.response.slope
        low, high = around(slope, TOLERANCE)
        slopes = [slope for slope, _ in self.lines]
        return Law(self.response.name, f"{slope:.3f}".replace("-", "−"), low, high, slopes, "", 3)

    def ratio(self) -> list[float]:
        """Give, for each run, the mean window over the law's, the mean over the points."""
        inside = self.windows.filter(pl.col("loss").is_in(self.response.fitted))
        response = self.response
        return [
            statistics.geometric_mean(
                window / response.window(loss)
                for loss, window in zip(run["loss"], run["window"], strict=True)
            )
            for _, run in inside.group_by("run", maintain_order=True)
        ]


def mean_windows(case: tuple[Response, float]) -> pl.DataFrame:
    """Run a response function at one probability; give a row for each run."""
    response, loss = case
    window = max(response.window(loss), 10.0)
    seconds = LOSSES[loss] / (1 - WARM_UP) / loss / window * ROUND_TRIP
    bits = ROOM * window * PACKET * 8 / ROUND_TRIP
    results = simulate(
        {
            "duration": f'"{seconds:.3f} s"',
            "interval": f'"{seconds * WARM_UP:.3f} s"',
            "runs": str(RUNS),
            "links.path.rate": f'"{bits:.0f} bps"',
            "links.path.loss": f'[{{ probability = "{loss * 100} %" }}, {{ probability = "0 %" }}]',
            "links.path.queue": f'{{ kind = "drop-tail", limit = "{ROOM * window:.0f} packets" }}',
            "flows.one": f"{{ controller = {response.controller} }}",
        }
    )
    counted = results["flow_series"].filter(pl.col("time_s") > seconds * WARM_UP * 1.01)
    means = counted.group_by("run", maintain_order=True).agg(pl.col("goodput_bps").mean())
    return means.select(
        "run",
        loss=pl.lit(loss),
        window=pl.col("goodput_bps") * ROUND_TRIP / 8 / SEGMENT,
    )


def fits() -> list[Fit]:
    """Run everything."""
    known = responses()
    # The longest first, so that no processor waits for the last.
    cases = [(response, loss) for loss in reversed(LOSSES) for response in known]
    frames = dict(zip(((it.name, loss) for it, loss in cases), each(mean_windows, cases)))
    return [Fit(it, pl.concat(frames[it.name, loss] for loss in LOSSES)) for it in known]
