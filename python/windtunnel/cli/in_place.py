"""An emulation beside a simulation of the same file, with a flow in place of the real programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.results import Results

if TYPE_CHECKING:
    import polars as pl

AXIS = "where"
"""The axis on which both are."""
EMULATED, SIMULATED = "emulated", "simulated"
PROGRAMS = "real programs"
"""What stands where the controller of the flow is."""


def without(flow: str, duration_s: float) -> dict[str, str]:
    """Give the settings with which a flow never begins: the real programs are in its place."""
    return {f"flows.{flow}.start": f"{2 * duration_s} s"}


def joined(emulated: Results, recorded: Path, simulated: Results, flow: str) -> Results:
    """Join both to results with two cases.

    Of the emulation the series are in the folder `recorded`, from where they are taken. Of the flow
    that did not begin it has what the programs in its place received, and nothing else.
    """
    # Imported here: Polars takes longer to load than most commands take.
    import polars as pl

    real = dict(emulated.tables)
    for file in sorted(recorded.glob("*.parquet")):
        real[file.stem] = pl.read_parquet(file)
        file.unlink()
    report = emulated.manifest["emulation"]
    real = {name: of_programs(name, table, flow, report) for name, table in real.items()}
    names = dict.fromkeys([*real, *simulated.tables])
    tables = {name: stacked(real.get(name), simulated.tables.get(name)) for name in names}
    manifest = {**simulated.manifest, "emulation": report}
    return Results([AXIS], tables, simulated.scenario, manifest, simulated.files)


def of_programs(name: str, table: pl.DataFrame, flow: str, report: dict[str, Any]) -> pl.DataFrame:
    """Leave out the rows of a flow; of the table of flows keep what the programs received."""
    import polars as pl

    if "flow" not in table.columns:
        return table
    others = table.filter(pl.col("flow") != flow)
    if name != "flows":
        return others
    own = table.filter(pl.col("flow") == flow)
    received = data_between(report, own["peer"][0], own["node"][0])
    kept = own.select("run", "flow", "protocol", "node", "peer").with_columns(
        flow_controller=pl.lit(PROGRAMS),
        goodput_bps=pl.lit(received * 8 / report["duration_s"]),
        active_s=pl.lit(report["duration_s"]),
        received_bytes=pl.lit(received, pl.UInt64),
    )
    return pl.concat([others, kept], how="diagonal").select(table.columns)


def data_between(report: dict[str, Any], sender: str, receiver: str) -> int:
    """Give the bytes of data that left at one node and had entered at another."""
    names = report["attachments"]
    ends = (sender, receiver)
    return sum(
        it["left_data_bytes"]
        for it in report["directions"]
        if (names[it["from"]], names[it["to"]]) == ends
    )


def stacked(real: pl.DataFrame | None, simulated: pl.DataFrame | None) -> pl.DataFrame:
    """Put a table of both into one, with the axis as its first column."""
    import polars as pl

    parts = [
        table.select(pl.lit(where).alias(AXIS), pl.all())
        for where, table in ((EMULATED, real), (SIMULATED, simulated))
        if table is not None
    ]
    return pl.concat(parts, how="diagonal")
