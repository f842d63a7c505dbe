"""Compare with ndnSIM: the same networks and the same consumer.

    python validation/compare_ndnsim.py docs/validation.md

runs the scenarios in `validation/ndnsim` and replaces the tables of the page, each
between the comments with its name. Without a page the tables are printed.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from windtunnel import running
from windtunnel.markdown import table

FOLDER = Path(__file__).parent / "ndnsim"
CASE = ["scenario", "controller", "bottleneck"]
MEASURES = {"goodput": "Mbps", "delay": "ms", "drops": "packets", "marks": "packets"}
CONTENT = 1024
"""Bytes of content in each Data of ndnSIM."""
PAYLOAD = CONTENT + 3
"""Those in the scenarios, where a Data has three bytes less around them."""
SECONDS = 30
"""Simulated time of every run, in both simulators."""
NOTABLE = 0.1
"""The relative difference above which the page must give an explanation."""

Settings = Mapping[str, str]

RULES: dict[str, Settings] = {
    "as compared": {},
    "in flight never exceeds the window": {"defaults.consumer.window.fraction": '"waits"'},
    "Data one byte shorter": {"defaults.producer.payload": f'"{PAYLOAD - 1} B"'},
    "RTT estimator gains per round trip": {
        "defaults.consumer.timeout.rtt_gain": '"per-round-trip"'
    },
    "timeout doubled once per check": {"defaults.consumer.timeout.backoff": '"each-event"'},
    "timeouts detected immediately": {"defaults.consumer.timeout.check": '"0 ms"'},
    "late Data gives a round trip": {"defaults.consumer.timeout.late_data": '"measures"'},
    "no margin after a decrease": {"defaults.consumer.recovery_margin": '"0 %"'},
    "cached Data loses its mark": {"defaults.node.content_store.keep_marks": "false"},
}
"""Rules of ndnSIM's consumers and forwarders, and the setting that undoes each."""

CONSUMERS = {
    "distinct Data": ("data_unique", "data"),
    "delay from the first Interest": ("mean_delay_ms", "delay_ms"),
    "delay from the last Interest": ("mean_delay_last_tx_ms", "last_delay_ms"),
    "Interests sent": ("interests_sent", "interests"),
    "retransmissions": ("retx", "retransmissions"),
    "marked Data": ("marked_data_received", "marks"),
}
"""What the reference has of each consumer: its name there, and ours."""

LINKS = {"drops": ("drops", "drops"), "marks": ("marks", "marks")}
"""What it has of each direction of a link that it lists."""

EXAMPLES = [
    ("one-path", "AIMD", None, "delay"),
    ("dumbbell-own-content", "AIMD", "5 Mbps", "drops"),
    ("dumbbell-own-content", "CUBIC", "50 Mbps", "delay"),
    ("dumbbell-same-content", "AIMD", "5 Mbps", "marks"),
    ("three-consumers", "AIMD", None, "drops"),
    ("three-consumers", "CUBIC", None, "marks"),
]
"""Cases and measures that show the effect of a rule."""

RUNS = 20
SPREADS = ["100 us", "1 ms"]
"""The intervals in which the consumers start at random."""


def reference() -> pl.DataFrame:
    """Give ndnSIM's results: a row for each case."""
    runs = json.loads((FOLDER / "reference.json").read_text(encoding="utf-8"))["runs"]
    rows = []
    for run in runs:
        data = sum(flow["data_unique"] for flow in run["consumers"])
        delays = sum(flow["mean_delay_ms"] * flow["data_unique"] for flow in run["consumers"])
        rows.append(
            {name: run.get(name) for name in CASE}
            | {"goodput": run["goodput_mbps"], "delay": delays / data}
            | {"drops": run["drops"], "marks": run["marks"]}
        )
    return pl.DataFrame(rows)


def measured(cases: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """Run the scenarios of `cases`; give a row for each of their cases and runs."""
    names = cases["scenario"].unique(maintain_order=True)
    rows = pl.concat([run_scenario(name, settings) for name in names], how="diagonal")
    return cases.select(CASE).join(rows, on=CASE, nulls_equal=True, maintain_order="left")


def run_scenario(name: str, settings: Settings) -> pl.DataFrame:
    """Give goodput, average delay from the first Interest to the Data, drops and marks."""
    # Only totals are needed here.
    settings = {"recording.interval": f'"{SECONDS} s"', **settings}
    results = running.run_scenario(running.read(FOLDER / f"{name}.toml", settings))
    keys = [*results.axes, "run"]
    data = pl.col("data").sum()
    flows = results["flows"].group_by(keys, maintain_order=True)
    flows = flows.agg(
        goodput=data * CONTENT * 8 / SECONDS / 1e6,
        delay=(pl.col("delay_s") * pl.col("data")).sum() / data * 1e3,
    )
    drops = pl.col("overlimit_drops") + pl.col("discipline_drops")
    links = results["links"].group_by(keys).agg(drops=drops.sum(), marks=pl.col("marks").sum())
    return flows.join(links, on=keys).with_columns(scenario=pl.lit(name))


def details(settings: Settings) -> str:
    """Lay out how closely each consumer and link of all cases agrees."""
    runs = json.loads((FOLDER / "reference.json").read_text(encoding="utf-8"))["runs"]
    ours = {name: run_details(name, settings) for name in {run["scenario"] for run in runs}}
    pairs: dict[str, list[tuple[float, float]]] = {}
    for run in runs:
        of = {name: run.get(name) for name in CASE[1:]}
        flows, links = (one_of(table, of) for table in ours[run["scenario"]])
        for measures, theirs, rows in ((CONSUMERS, "consumers", flows), (LINKS, "links", links)):
            for their in run[theirs]:
                our = rows[their.get("name", their.get("link"))]
                for measure, (here, there) in measures.items():
                    what = f"{theirs}: {measure}"
                    pairs.setdefault(what, []).append((our[there], their[here]))
    pairs["all"] = [pair for measure in pairs.values() for pair in measure]
    lines = [[measure, *agreement(values)] for measure, values in pairs.items()]
    return table(["measure", "values", "within 0.1 %", "within 1 %", "within 10 %"], lines)


def run_details(name: str, settings: Settings) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Give what each consumer and each direction of a link measured."""
    settings = {"recording.interval": f'"{SECONDS} s"', **settings}
    results = running.run_scenario(running.read(FOLDER / f"{name}.toml", settings))
    delays = [(pl.col(f"{it}_s") * 1e3).alias(f"{it}_ms") for it in ("delay", "last_delay")]
    links = results["links"].with_columns(
        name=pl.format("{}>{}", "from", "to"),
        drops=pl.col("overlimit_drops") + pl.col("discipline_drops"),
    )
    return results["flows"].with_columns(*delays, name="flow"), links


def one_of(frame: pl.DataFrame, case: Mapping[str, str | None]) -> dict[str, dict[str, float]]:
    """Give the rows of a case, by name."""
    known = {name: value for name, value in case.items() if value is not None}
    return {row["name"]: row for row in frame.filter(**known).to_dicts()}


def agreement(pairs: list[tuple[float, float]]) -> list[str]:
    """Count the values, and those that agree."""
    differences = [abs(difference(ours, theirs)) for ours, theirs in pairs]
    within = [sum(it <= limit for it in differences) for limit in (1e-3, 1e-2, NOTABLE)]
    return [str(len(pairs)), *(f"{it} ({it / len(pairs):.0%})".replace("%", " %") for it in within)]


def difference(ours: float, theirs: float) -> float:
    """Give the relative difference."""
    return ours / theirs - 1 if theirs else float(ours != theirs)


def comparison(theirs: pl.DataFrame, ours: pl.DataFrame) -> str:
    """Lay out all cases: ndnSIM's value, ours, and the difference."""
    rows = []
    for their, our in zip(theirs.to_dicts(), ours.to_dicts(), strict=True):
        rows.append(case_cells(their) + [beside(name, our, their) for name in MEASURES])
    heads = [f"{name}, {unit}" for name, unit in MEASURES.items()]
    return table(["scenario", "controller", *heads], rows)


def case_cells(case: Mapping[str, object]) -> list[str]:
    """Name a case: its scenario, and its controller with the bottleneck's rate."""
    bottleneck = f", {case['bottleneck']}" if case["bottleneck"] else ""
    return [f"{case['scenario']}{bottleneck}", str(case["controller"])]


def beside(name: str, our: Mapping[str, float], their: Mapping[str, float]) -> str:
    """Write ndnSIM's value, ours and the difference, in bold if notable."""
    relative = difference(our[name], their[name])
    percent = f"{relative:+.1%}".replace("%", " %").replace("-", "−")
    emphasis = "**" if abs(relative) > NOTABLE else ""
    return f"{number(their[name])} / {number(our[name])} ({emphasis}{percent}{emphasis})"


def number(value: float) -> str:
    """Write a count whole, and anything else with two decimals."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.2f}"


def rules(theirs: pl.DataFrame) -> str:
    """Lay out the effect of each rule of ndnSIM: the examples with and without it."""
    rows = [["*ndnSIM*", *example_cells(theirs), ""]]
    for rule, settings in RULES.items():
        ours = measured(theirs, settings)
        notable = f"{len(notable_ones(theirs, ours))} of {len(MEASURES) * len(ours)}"
        rows.append([rule, *example_cells(ours), notable])
    heads = [
        f"{', '.join(case_cells(dict(zip(CASE, case, strict=True))))}: {measure}"
        for *case, measure in EXAMPLES
    ]
    return table(["", *heads, "beyond 10 %"], rows)


def example_cells(frame: pl.DataFrame) -> list[str]:
    """Give the examples' values."""
    return [number(one_case(frame, case)[measure].item()) for *case, measure in EXAMPLES]


def one_case(frame: pl.DataFrame, case: list[str | None]) -> pl.DataFrame:
    """Give the rows of a case."""
    return frame.join(
        pl.DataFrame([case], schema=dict.fromkeys(CASE, pl.String), orient="row"),
        on=CASE,
        nulls_equal=True,
    )


def notable_ones(theirs: pl.DataFrame, ours: pl.DataFrame) -> list[tuple[dict[str, object], str]]:
    """Find the cases and measures whose difference needs an explanation."""
    return [
        (their, name)
        for their, our in zip(theirs.to_dicts(), ours.to_dicts(), strict=True)
        for name in MEASURES
        if abs(difference(our[name], their[name])) > NOTABLE
    ]


def spread(theirs: pl.DataFrame, ours: pl.DataFrame) -> str:
    """Lay out, for each notable difference, the range over random start times."""
    notable = notable_ones(theirs, ours)
    scenarios = {case["scenario"] for case, _ in notable}
    cases = theirs.filter(pl.col("scenario").is_in(scenarios))
    samples = [measured(cases, random_starts(within)) for within in SPREADS]
    rows = []
    for case, name in notable:
        values = [one_case(sample, [case[key] for key in CASE])[name] for sample in samples]
        cells = [five_numbers(value) for value in values]
        rows.append([*case_cells(case), name, number(case[name]), *cells])
    heads = [f"within {within.replace('us', 'µs')}" for within in SPREADS]
    return table(["scenario", "controller", "measure", "ndnSIM", *heads], rows)


def random_starts(within: str) -> Settings:
    """Let each consumer start at a random time, different in each run."""
    return {"runs": str(RUNS), "defaults.consumer.start_within": f'"{within}"'}


def five_numbers(values: pl.Series) -> str:
    """Write minimum, quartiles and maximum."""
    numbers = (values.quantile(share, "nearest") for share in (0, 0.25, 0.5, 0.75, 1))
    kind = int if values.dtype.is_integer() else float
    return " · ".join(number(kind(value)) for value in numbers)


def replaced(page: str, tables: Mapping[str, str]) -> str:
    """Replace the tables of a page, each between the comments with its name."""
    for name, text in tables.items():
        comments = f"(<!-- {name} -->\n).*?(<!-- end of {name} -->)"
        page, found = re.subn(comments, rf"\g<1>{text}\g<2>", page, flags=re.DOTALL)
        if found != 1:
            sys.exit(f"the page has no place for a table: <!-- {name} --> <!-- end of {name} -->")
    return page


def main() -> None:
    """Run everything; write the page, or print."""
    theirs = reference()
    ours = measured(theirs, {})
    tables = {
        "ndnSIM: comparison": comparison(theirs, ours),
        "ndnSIM: details": details({}),
        "ndnSIM: rules": rules(theirs),
        "ndnSIM: spread": spread(theirs, ours),
    }
    if len(sys.argv) > 1:
        page = Path(sys.argv[1])
        page.write_text(replaced(page.read_text(encoding="utf-8"), tables), encoding="utf-8")
    else:
        print(*tables.values(), sep="\n")


if __name__ == "__main__":
    main()
