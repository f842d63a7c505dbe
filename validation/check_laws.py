"""Compare full simulations with theory.

    python validation/check_laws.py docs/validation/laws.md

runs the simulations of `validation/laws`, replaces the tables of the page, each
between the comments with its name, and saves the pictures beside the page. Without a
page the tables are printed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import polars as pl
from compare_ndnsim import replaced
from laws import delays, low_latency, marks, models, pictures, queues, responses, sharing, windows
from laws.simulate import Law, each

from windtunnel.markdown import table

HEADS = ["law", "expected", "bounds", "measured (minimum … maximum run)", "holds"]
FLOWS = (1, 2, 4)
CONVERGENCE = {
    "reno": (167, True),
    "cubic": (167, True),
    "copa": (167, True),
    "fast": (167, True),
    "bbr1": (333, True),
    "bbr3": (333, True),
    "scalable": (167, False),
}
"""Buffer in packets, one or two BDP, and whether two flows are expected to become fair."""

Check = Callable[[], Law | list[Law]]

QUEUES: list[Check] = [
    queues.dctcp,
    *(partial(queues.pie, flows) for flows in (5, 10, 20)),
    queues.codel,
    *(partial(queues.dual_pi2, *path) for path in ((100, 25), (200, 25), (100, 50))),
    queues.sparse_flow,
    queues.isolation,
    *(partial(queues.waiting, load) for load in (0.5, 0.8, 0.9)),
    queues.processor_sharing,
]
DELAYS: list[Check] = [
    partial(delays.ledbat, "ledbat", 100),
    partial(delays.ledbat, "ledbat-plus-plus", 60),
    *(
        partial(check, flows)
        for check in (delays.vegas, delays.copa, delays.fast)
        for flows in FLOWS
    ),
    delays.fast_latecomer,
]
LOW_LATENCY: list[Check] = [
    *(partial(low_latency.ratio, round_trip) for round_trip in low_latency.RATIOS),
    *(partial(low_latency.rates, ecn) for ecn in low_latency.RATES),
]
ROUND_TRIPS: list[Check] = [sharing.reno_round_trips, sharing.other_round_trips]
MODELS: list[Check] = [
    models.probing,
    *(partial(models.bbr1_loss, loss) for loss in (0.01, 0.05, 0.1)),
    partial(models.bbr3_loss, 0.001, 0.9, 1.01, "≈ 1 below 2 %"),
    partial(models.bbr3_loss, 0.05, 0, 0.2, "≪ 1 above 2 %"),
]


def laws(checks: Sequence[Check]) -> list[Law]:
    """Run checks; give their laws in order."""
    found = each(lambda check: check(), checks)
    return [law for laws in found for law in (laws if isinstance(laws, list) else [laws])]


def rows(laws: Sequence[Law]) -> str:
    """Lay out laws."""
    return table(HEADS, [law.cells() for law in laws])


def slopes(fits: Sequence[responses.Fit]) -> str:
    """Lay out the response functions."""
    lines = []
    for fit in fits:
        response = fit.response
        name, expected, _, measured, holds = fit.slope().cells()
        _, _, _, share, also = fit.share().cells()
        law = f"{response.source}, p ≤ {max(response.fitted):.1g}"
        lines.append([name, law, expected, measured, holds, share, also])
    heads = [
        "controller",
        "law",
        "slope",
        "measured",
        "within 10 %",
        "window / law",
        "within 10 %",
    ]
    return table(heads, lines)


def main() -> None:
    """Run everything; write page and pictures, or print."""
    fits = responses.fits() + marks.fits()
    utilisations = queues.utilisations()
    converging = each(lambda it: sharing.convergence(it[0], *it[1]), CONVERGENCE.items())
    tables = {
        "Laws: windows": rows(windows.laws()),
        "Laws: responses": slopes(fits),
        "Laws: utilisation": rows(queues.utilisation_laws(utilisations)),
        "Laws: queues": rows(laws(QUEUES)),
        "Laws: low latency": rows(laws(LOW_LATENCY)),
        "Laws: delays": rows(laws(DELAYS)),
        "Laws: sharing": rows(
            [law for found, _ in converging for law in found] + laws(ROUND_TRIPS)
        ),
        "Laws: models": rows(laws(MODELS)),
    }
    if len(sys.argv) < 2:
        print(*tables.values(), sep="\n")
        return
    page = Path(sys.argv[1])
    page.write_text(replaced(page.read_text(encoding="utf-8"), tables), encoding="utf-8")
    drawn = {
        "responses": pictures.responses(fits),
        "utilisation": pictures.utilisation(utilisations),
        "dctcp": pictures.dctcp(queues.dctcp_queue()),
        "convergence": pictures.convergence(pl.concat(runs for _, runs in converging)),
    }
    for name, picture in drawn.items():
        picture.save(page.with_name(f"laws-{name}.svg"))


if __name__ == "__main__":
    main()
