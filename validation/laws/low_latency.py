"""Prague and CUBIC that share DualPI2, beside what was measured in testbeds.

No law gives the shares of one flow of each: the probability follows the sawtooth of both.
Published measurements do.
"""

from __future__ import annotations

from laws.simulate import Law, around, flow_totals, goodputs, path

SEEDS = (1, 2, 3)
RATE_MBPS = 100
SECONDS = 100
"""How long each round trip was measured."""
SETTLED_S = 20
"""From when on goodput counts."""
RATIOS = {
    0.5: 8.98,
    1: 8.68,
    5: 4.39,
    10: 2.57,
    15: 2.38,
    20: 1.90,
    30: 2.20,
    40: 1.83,
    50: 2.11,
}
"""By the round trip in ms: Prague's goodput over CUBIC's. The L4S team's "TCP Prague controlled
RTT dependence" (l4steam.github.io, rtt-independence/experiments, 100Mb_100s, Linux of March
2020): server logs from 20 s after each change of the round trip; without Prague's independence
of it, whose constant is another here."""
RATES = {"off": (41.9, 42.6), "classic": (42.7, 43.5)}
"""Prague's least and greatest goodput in Mbps, of five means of ten runs of 60 s, by CUBIC's ECN;
10 ms, a target of 5 ms. Sarpkaya, Srivastava, Fund and Panwar, "To switch or not to switch to
TCP Prague?", ANRW 2024, figure of throughput (fatihsarpkaya/L4S, results/tput-cubic.pdf)."""
DELAY_MS = 0.4
"""Prague's queueing delay in the same runs, at most (results/latency.pdf)."""


def mix(
    seconds: float, round_trip_ms: float, target_ms: float, seed: int, independent: bool, ecn: str
) -> tuple[float, float, float]:
    """Run one of each; give Prague's and CUBIC's goodput in Mbps and Prague's queueing in ms."""
    prague = f'{{ kind = "prague", rtt-independence = {str(independent).lower()} }}'
    common = 'acknowledgements.every = "2 segments", start_within = "1 s"'
    results = path(
        seconds,
        {
            "prague": f"{{ controller = {prague}, {common} }}",
            "cubic": f'{{ controller = "cubic", ecn = "{ecn}", {common} }}',
        },
        rate_mbps=RATE_MBPS,
        round_trip_ms=round_trip_ms,
        queue=f'{{ kind = "dualpi2", target = "{target_ms} ms" }}',
        interval="1 s",
        seed=seed,
    )
    [scalable] = goodputs(results, SETTLED_S, names="prague")
    [classic] = goodputs(results, SETTLED_S, names="cubic")
    delay = flow_totals(results)["prague"]["rtt_s"] * 1e3 - round_trip_ms
    return scalable, classic, delay


def ratio(round_trip_ms: float) -> Law:
    """Compare the ratio of goodputs with the L4S team's, within a quarter."""
    published = RATIOS[round_trip_ms]
    runs = [mix(SECONDS, round_trip_ms, 15, seed, False, "off") for seed in SEEDS]
    name = f"Prague and CUBIC at 100 Mbps and {round_trip_ms:g} ms: ratio of goodputs"
    ratios = [scalable / classic for scalable, classic, _ in runs]
    return Law(name, f"{published:.2f}", *around(published, 0.25), ratios)


def rates(ecn: str) -> list[Law]:
    """Compare Prague's goodput with Sarpkaya et al.'s, within 10 %, and its queueing delay."""
    low, high = RATES[ecn]
    runs = [mix(60, 10, 5, seed, True, ecn) for seed in SEEDS]
    name = f"Prague and CUBIC {'without' if ecn == 'off' else 'with'} ECN, target 5 ms, 10 ms"
    return [
        Law(
            f"{name}: Prague's goodput",
            f"{low} … {high}",
            low * 0.9,
            high * 1.1,
            [scalable for scalable, *_ in runs],
            "Mbps",
            1,
        ),
        Law(
            f"{name}: Prague's queueing delay",
            f"≤ {DELAY_MS} ms",
            0,
            DELAY_MS,
            [delay for *_, delay in runs],
            "ms",
        ),
    ]
