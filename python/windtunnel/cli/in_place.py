"""An emulation beside a simulation of the same file, with a flow in place of the real programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from windtunnel.results import Results

if TYPE_CHECKING:
    import polars as pl

AXIS = "where"
"""The axis on which both are."""
EMULATED, SIMULATED = "emulated", "simulated"


def without(flow: str, duration_s: float) -> dict[str, str]:
    """Give the settings with which a flow never begins: the real programs are in its place."""
    return {f"flows.{flow}.start": f"{2 * duration_s} s"}


def joined(emulated: Results, recorded: Path, simulated: Results, flow: str) -> Results:
    """Join both to results with two cases.

    Of the emulation the series are in the folder `recorded`, from where they are taken. What it
    has of the flow that did not begin is left out.
    """
    # Imported here: Polars takes longer to load than most commands take.
    import polars as pl

    real = dict(emulated.tables)
    for file in sorted(recorded.glob("*.parquet")):
        real[file.stem] = pl.read_parquet(file)
        file.unlink()
    real = {name: left_out(table, flow) for name, table in real.items()}
    names = dict.fromkeys([*real, *simulated.tables])
    tables = {name: stacked(real.get(name), simulated.tables.get(name)) for name in names}
    manifest = {**simulated.manifest, "emulation": emulated.manifest["emulation"]}
    return Results([AXIS], tables, simulated.scenario, manifest, simulated.files)


def left_out(table: pl.DataFrame, flow: str) -> pl.DataFrame:
    """Leave out the rows of a flow."""
    return table.filter(table["flow"] != flow) if "flow" in table.columns else table


def stacked(real: pl.DataFrame | None, simulated: pl.DataFrame | None) -> pl.DataFrame:
    """Put a table of both into one, with the axis as its first column."""
    import polars as pl

    parts = [
        table.select(pl.lit(where).alias(AXIS), pl.all())
        for where, table in ((EMULATED, real), (SIMULATED, simulated))
        if table is not None
    ]
    return pl.concat(parts, how="diagonal")
