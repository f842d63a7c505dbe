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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from laws.simulate import PACKET, SEGMENT, Law, around, each, random_loss, simulate

ROUND_TRIP = 0.1
LOSSES = {1e-2: 300, 10**-2.5: 300, 1e-3: 200, 10**-3.5: 100, 1e-4: 60, 10**-4.5: 45, 1e-5: 35}
"""Probabilities, and how many losses each run sees."""
RUNS = 3
WARM_UP = 0.2
"""The share of a run that is discarded."""
ROOM = 10
"""How many mean windows fit on the link."""
TOLERANCE = 0.1


Window = Callable[[float], float]
"""The mean window at a probability of loss, in segments."""


@dataclass(frozen=True)
class Response:
    """A response function."""

    name: str
    controller: str
    """As a scenario has it."""
    source: str
    window: Window
    """With one loss for each 1 / p segments."""
    random_window: Window | None = None
    """With exponentially distributed gaps between losses, if known."""
    highest: float = 1.0
    """The probability up to which the law applies."""
    losses: Sequence[float] = tuple(LOSSES)
    """The probabilities that are run."""

    @property
    def fitted(self) -> list[float]:
        """The probabilities that the law is fitted to."""
        return [loss for loss in self.losses if loss <= self.highest * 1.01]

    @cached_property
    def law(self) -> pl.DataFrame:
        """The law where it is fitted, with gaps drawn if known: `loss` and `window`."""
        law = self.random_window or self.window
        return pl.DataFrame({"loss": self.fitted, "window": [law(it) for it in self.fitted]})

    @property
    def slope(self) -> float:
        """The law's slope in logarithms."""
        return slope(self.law["loss"], self.law["window"])


def slope(losses: Sequence[float], windows: Sequence[float]) -> float:
    """Give the slope of a line through points in logarithms, by least squares."""
    logarithms = [[math.log(it) for it in values] for values in (losses, windows)]
    return statistics.linear_regression(*logarithms).slope


def power(constant: float, exponent: float) -> Window:
    """Give `constant p^exponent`."""
    return lambda loss: constant * loss**exponent


def even_losses(growth: float, exponent: float, kept: float) -> float:
    """Give the constant of `dw = growth w^exponent` per round trip, with even gaps.

    With `n` segments sent, `w^(2 - exponent)` grows by `growth (2 - exponent) n`.
    """
    whole, rest = 2 - exponent, 1 - exponent
    largest = (growth * whole / (1 - kept**whole)) ** (1 / whole)
    return growth * rest / ((1 - kept**rest) * largest**rest)


def drawn_losses(growth: float, exponent: float, kept: float) -> float:
    """Give the constant with exponentially distributed gaps, by drawing them.

    For Reno it is 1.31 (Ott, Kemperman, Mathis 1996).
    """
    draw = random.Random(1)
    whole, rest = 2 - exponent, 1 - exponent
    largest, round_trips, losses = 1.0, 0.0, 50_000
    for _ in range(losses):
        begin = kept * largest
        largest = (begin**whole + growth * whole * draw.expovariate(1.0)) ** (1 / whole)
        round_trips += (largest**rest - begin**rest) / (growth * rest)
    return losses / round_trips


def power_law(
    name: str, controller: str, source: str, law: tuple[float, float, float], highest: float = 1.0
) -> Response:
    """Give the response function of `dw = growth w^exponent` per round trip.

    `law` is the growth, the exponent, and the share of the window kept after a loss.
    """
    slope = -1 / (2 - law[1])
    even, drawn = even_losses(*law), drawn_losses(*law)
    return Response(name, controller, source, power(even, slope), power(drawn, slope), highest)


Growth = Callable[[float, float, float], float]
"""What a round trip adds to a window, by the window, that at the last loss, and how many
round trips have passed since."""


def sawtooth(growth: Growth, kept: float) -> Window:
    """Give the mean window with losses at equal intervals."""

    def climb(largest: float) -> tuple[float, float]:
        window, sent, passed = kept * largest, 0.0, 0.0
        while window < largest:
            sent += window
            window += growth(window, largest, passed)
            passed += 1
        return sent, passed

    def mean(loss: float) -> float:
        low, high = 1.0, 1e6
        while high / low > 1.001:
            middle = math.sqrt(low * high)
            low, high = (middle, high) if climb(middle)[0] * loss < 1 else (low, middle)
        sent, passed = climb(high)
        return sent / passed

    return mean


def drawn_sawtooth(growth: Growth, kept: float) -> Window:
    """Give the mean window with exponentially distributed gaps, by drawing them.

    The round trip in which a loss is recovered adds nothing, and no other loss in it
    counts: where a climb takes few round trips, that matters.
    """
    steps = 8

    def mean(loss: float) -> float:
        draw = random.Random(1)
        window, total, round_trips = 10.0, 0.0, 0.0
        for _ in range(1_500):
            last, window = window, kept * window
            gap, sent, passed = draw.expovariate(loss), 0.0, 1.0
            while sent < gap:
                sent += window / steps
                window += growth(window, last, passed) / steps
                passed += 1 / steps
            total += kept * last + sent
            round_trips += passed
        return total / round_trips

    return mean


def cubic_random_losses(loss: float) -> float:
    """Give CUBIC's mean window, Reno-friendly region and fast convergence left out.

    With `t` from the loss, `w = C (t - K)^3 + W_max` (RFC 9438, section 4.2); gaps
    are exponentially distributed.
    """
    draw = random.Random(1)
    largest, elapsed, sent = 100.0, 0.0, 0.0
    for _ in range(20_000):
        k = (0.3 * largest / 0.4) ** (1 / 3)
        gap = draw.expovariate(loss)
        low, high = 0.0, 1e4
        while high - low > 1e-4 * high:
            t = (low + high) / 2
            area = 0.1 * ((t - k) ** 4 - k**4) + largest * t
            low, high = (t, high) if area < gap * ROUND_TRIP else (low, t)
        elapsed += high
        sent += gap
        largest = 0.4 * (high - k) ** 3 + largest
    return sent * ROUND_TRIP / elapsed


def bic(window: float, last: float, _: float) -> float:
    """Give BIC's growth: a quarter of the distance to the last maximum, and away from it."""
    if window < 14:
        return 1.0
    if window < last:
        step = (last - window) // 4
        return min(step, 16.0) if step > 1 else 0.2
    beyond = window - last
    return 0.2 if beyond < 4 else min(beyond / 3, 16.0)


def agile(window: float, last: float, _: float) -> float:
    """Give Agile-SD's growth: from 3 down to 1."""
    return max(1.0, 3 * (last - window) / (0.1 * last))


def h_tcp(_: float, __: float, passed: float) -> float:
    """Give H-TCP's growth, by the time since the loss, where 0.8 is kept."""
    after = max(0.0, passed * ROUND_TRIP - 1)
    return 2 * (1 - 0.8) * (1 + 10 * after + (after / 2) ** 2)


def stepped(
    name: str, controller: str, source: str, growth: Growth, kept: float, highest: float = 1.0
) -> Response:
    """Give the response function of a growth that no formula sums up."""
    even, drawn = sawtooth(growth, kept), drawn_sawtooth(growth, kept)
    return Response(name, controller, source, even, drawn, highest)


def responses() -> list[Response]:
    """Give all response functions that are known."""
    cubic = power(1.0538 * ROUND_TRIP**0.75, -0.75)
    cubic_alone = '{ kind = "cubic", reno-friendly = false, fast-convergence = false }'
    four_flows = '{ kind = "d-tcp", reading = "literal-alg1", most-flows = 4 }'
    steady = '{ kind = "h-tcp", bandwidth-switch = false }'
    bic_alone = '{ kind = "bic", fast-convergence = false }'
    scalable = power(0.01 / math.log(8 / 7), -1)
    return [
        power_law("Reno", '"reno"', "1.22/√p (Mathis et al. 1997)", (1, 0, 0.5)),
        power_law("Veno", '"veno"', "2.12/√p, b = 1/5", (1, 0, 0.8)),
        power_law(
            "D-TCP, 4 flows", four_flows, "N √(3/2p), equation 27 of its paper", (4, 0, 11 / 13)
        ),
        stepped("Agile-SD", '"agile-sd"', "3.71/√p, λ from 3 to 1", agile, 0.9),
        stepped("BIC", bic_alone, "its increments, summed", bic, 0.8, 1e-3),
        stepped("H-TCP", steady, "its α(Δ), β = 0.8, summed", h_tcp, 0.8, 1e-3),
        power_law("Elastic", '"elastic"', "1.29/p^⅔, √w per round trip", (1, 0.5, 0.5)),
        Response("CUBIC", '"cubic"', "1.054 T^¾/p^¾ (RFC 9438)", cubic, cubic_random_losses, 1e-4),
        Response(
            "CUBIC without Reno-friendly region",
            cubic_alone,
            "the same",
            cubic,
            cubic_random_losses,
            10**-2.5,
        ),
        power_law(
            "Compound", '"compound"', "p^−0.8, w^¾/8 per round trip", (1 / 8, 0.75, 0.5), 1e-3
        ),
        Response(
            "HighSpeed",
            '"highspeed"',
            "0.12/p^0.835 (RFC 3649)",
            power(0.12, -0.835),
            None,
            10**-3.5,
        ),
        Response(
            "Scalable", '"scalable"', "0.08/p; exactly a/p ln(1/(1 − b))", scalable, scalable, 1e-3
        ),
    ]


@dataclass(frozen=True)
class Fit:
    """What was measured for a response function."""

    response: Response
    windows: pl.DataFrame
    """Columns `loss`, `run` and `window`."""

    def runs(self) -> list[tuple[list[float], list[float]]]:
        """Give each run's probabilities and mean windows, where the law applies."""
        inside = self.windows.filter(pl.col("loss").is_in(self.response.fitted))
        runs = inside.group_by("run", maintain_order=True)
        return [(run["loss"].to_list(), run["window"].to_list()) for _, run in runs]

    def slope(self) -> Law:
        """Give the slope: within a tenth of the law's."""
        expected = self.response.slope
        slopes = [slope(*run) for run in self.runs()]
        text = f"{expected:.3f}".replace("-", "−")
        return Law(self.response.name, text, *around(expected, TOLERANCE), slopes, "", 3)

    def share(self) -> Law:
        """Give the mean window as a share of the law's, over all probabilities."""
        law = self.response.law["window"]
        shares = [
            statistics.geometric_mean(
                window / expected for window, expected in zip(windows, law, strict=True)
            )
            for _, windows in self.runs()
        ]
        return Law(self.response.name, "1", *around(1, TOLERANCE), shares)


def mean_windows(case: tuple[Response, float]) -> pl.DataFrame:
    """Run a response function at one probability; give a row for each run."""
    response, loss = case
    window = max(response.window(loss), 10.0)
    seconds = LOSSES[loss] / (1 - WARM_UP) / loss / window * ROUND_TRIP
    bits = ROOM * window * PACKET * 8 / ROUND_TRIP
    results = simulate(
        {
            "duration": f'"{seconds:.3f} s"',
            "recording.interval": f'"{seconds * WARM_UP:.3f} s"',
            "runs": str(RUNS),
            "links.path.rate": f'"{bits:.0f} bps"',
            "links.path.loss": random_loss(loss),
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
    names = [(response.name, loss) for response, loss in cases]
    frames = dict(zip(names, each(mean_windows, cases), strict=True))
    return [Fit(it, pl.concat(frames[it.name, loss] for loss in LOSSES)) for it in known]
