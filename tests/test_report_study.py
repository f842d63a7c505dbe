"""Reports of studies: what they compare is what was measured, whatever varied."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import polars as pl

from windtunnel.studies.outcome import Parameter, StudyResults

BUFFER = Parameter(
    "buffer",
    [f"{it} KiB" for it in (16, 32, 64, 128, 256, 512, 1024)],
    [it * 1024.0 for it in (16, 32, 64, 128, 256, 512, 1024)],
    "B",
    True,
)
ROUND_TRIP = Parameter(
    "rtt", [f"{it} ms" for it in (10, 20, 40, 80, 160)], [0.01, 0.02, 0.04, 0.08, 0.16], "s", False
)
CONTROLLER = Parameter("controller", ["cubic", "bbr1", "bbr3"], None, "", False)
NETWORK = Parameter("network", ["plain", "dcib"], None, "", False)
LOSS = Parameter("loss rate", ["0 %", "0.1 %", "1 %"], [0.0, 0.001, 0.01], "share", False)


def made(*parameters: Parameter, seeds: int = 3, **changed: Any) -> StudyResults:
    """Make up the results of a grid: each run's measures follow from its values and a draw."""
    values = [it.numbers or it.values for it in parameters]
    rows = [(*point, seed) for point in itertools.product(*values) for seed in range(seeds)]
    return of_rows(parameters, rows, **changed)


def of_rows(parameters: tuple[Parameter, ...], rows: list[tuple], **changed: Any) -> StudyResults:
    """Make up the results of runs with these values and seeds."""
    names = [it.name for it in parameters]
    kinds = {it.name: pl.String if it.numbers is None else pl.Float64 for it in parameters}
    measured = [measures(dict(zip(names, row, strict=False)), row) for row in rows]
    keys = pl.DataFrame(rows, schema={**kinds, "seed": pl.Int64}, orient="row")
    frame = keys.with_columns(key=pl.int_range(pl.len()).cast(pl.String)).hstack(
        pl.DataFrame(measured, infer_schema_length=None)
    )
    failures = keys.clear().with_columns(key=pl.lit(""), error=pl.lit(""))
    whole = {
        "title": "Made up",
        "parameters": list(parameters),
        "frame": frame,
        "failures": failures,
        "planned": len(rows),
        "folder": None,
    }
    return StudyResults(**whole | changed)


def measures(values: dict[str, Any], row: tuple) -> dict[str, float]:
    """Make up what a run measures: buffers fill, long paths are slow, a draw for the seed."""
    draw = random.Random(repr(row))
    buffer, rtt = values.get("buffer", 65536.0), values.get("rtt", 0.04)
    factor = {"cubic": 1.0, "bbr1": 1.3, "bbr3": 1.15}.get(str(values.get("controller")), 1.0)
    bandwidth_delay = 1e7 / 8 * rtt
    filled = min(buffer / bandwidth_delay * factor, 4.0)
    better = {"dcib": 1.3 - 1.2 * values.get("loss rate", 0.0) ** 0.1}.get(
        str(values.get("network")), 1.0
    )
    goodput = 9.6e6 * (1 - math.exp(-1.5 * factor * filled)) * better * draw.uniform(0.96, 1.04)
    delay = (rtt + min(buffer, 3 * bandwidth_delay) * 8 / 1e7 / factor) * draw.uniform(0.95, 1.05)
    return {
        "goodput_bps": goodput,
        "delay_s": delay,
        "rtt_s": delay,
        "fairness": min(1.0, draw.uniform(0.7, 1.0) * better),
        "retransmissions": float(draw.randrange(200)),
        "timeouts": 0.0,
        "marks": 0.0,
        "completion_s": None,
        "drops": float(draw.randrange(300)),
        "utilisation": goodput / 1.3e7,
        "loss": draw.uniform(0.0, 0.02),
        "queue_delay_s": delay - rtt,
    }
