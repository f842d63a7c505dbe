"""How much delay-based controllers keep in the queue."""

from __future__ import annotations

import math

from laws.simulate import Law, around, at_queue, counted, goodputs, jain, path

SEEDS = (1, 2, 3)
APART_MS = 10
"""Between two flows' starts. The first segments of each pass through an empty queue, so
that all measure the minimum round-trip time."""
COPA = '{ kind = "copa", competitive = false }'


def ledbat(name: str, target_ms: float) -> list[Law]:
    """Measure a scavenger alone, with a second one and with CUBIC."""
    flow = f'{{ controller = "{name}" }}'
    late = f'{{ controller = "{name}", start = "60 s", start_within = "1 s" }}'
    cubic = '{ controller = "cubic", start = "60 s", start_within = "1 s" }'
    alone = path(150, {"one": flow}, rate_mbps=10)
    # The median, because LEDBAT++ empties the queue on purpose now and then.
    delay = at_queue(alone, 60)["sojourn_s"].median() * 1e3
    shares, indices, left = [], [], []
    for seed in SEEDS:
        both = path(300, {"one": flow, "two": late}, rate_mbps=10, interval="1 s", seed=seed)
        first, second = goodputs(both, 200)
        shares.append(first / (first + second) * 100)
        indices.append(jain([first, second]))
        beside = path(150, {"one": flow, "two": cubic}, rate_mbps=10, interval="1 s", seed=seed)
        first, second = goodputs(beside, 100)
        left.append(first / (first + second) * 100)
    laws = [
        Law(
            f"{name} alone: queueing delay",
            f"{target_ms} ms",
            *around(target_ms, 0.05),
            [delay],
            "ms",
            1,
        ),
        Law(f"{name} against CUBIC: its share", "≈ 0", 0, 2, left, "%"),
    ]
    if name == "ledbat":
        laws.append(
            Law("ledbat, second flow starts late: share of the first", "≈ 0", 0, 5, shares, "%")
        )
    else:
        laws.append(
            Law(f"{name}, second flow starts late: Jain's index", "≈ 1", 0.95, 1, indices, "", 3)
        )
    return laws


def standing(controller: str, flows: int) -> float:
    """Measure the mean queue of some flows, in packets."""
    names = {
        f"f{n}": f'{{ controller = {controller}, start = "{n * APART_MS} ms" }}'
        for n in range(flows)
    }
    return at_queue(path(60, names), 30)["queue_packets"].mean()


def vegas(flows: int) -> Law:
    """Vegas: each flow keeps two to four packets in the queue."""
    name = f"Vegas, {counted(flows, 'flow')}: mean queue"
    low, high = 2 * flows, 4 * flows
    runs = [standing('"vegas"', flows)]
    return Law(name, f"{low} … {high}", low, high, runs, "packets", 1)


def fast(flows: int) -> Law:
    """FAST: each flow keeps alpha packets, 20 here."""
    expected = 20 * flows
    runs = [standing('"fast"', flows)]
    name = f"FAST, {counted(flows, 'flow')}: mean queue"
    return Law(name, f"α N = {expected}", *around(expected, 0.05), runs, "packets", 1)


def copa(flows: int) -> Law:
    """Copa: the queue of a flow swings from nothing to `2.5 / delta`, with delta 0.5."""
    runs = [standing(COPA, flows)]
    name = f"Copa without its competitive mode, {counted(flows, 'flow')}: mean queue"
    return Law(name, f"1.25 N/δ = {2.5 * flows}", *around(2.5 * flows, 0.3), runs, "packets", 1)


def fast_latecomer() -> Law:
    """FAST's second flow takes the first one's queue for the path.

    With the first queue `a` and the common one `q`, the rates are `a / q` and
    `a / (q - a)` of the link: their ratio is the golden one.
    """
    ratios = []
    for seed in SEEDS:
        late = '{ controller = "fast", start = "10 s", start_within = "1 s" }'
        results = path(60, {"one": '{ controller = "fast" }', "two": late}, seed=seed)
        first, second = goodputs(results, 30)
        ratios.append(second / first)
    golden = (1 + math.sqrt(5)) / 2
    name = "FAST, second flow starts late: its rate / the first's"
    return Law(name, f"(1 + √5)/2 = {golden:.3f}", *around(golden, 0.05), ratios, "", 3)
