"""Results: tables of what was measured, and the folder that keeps them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.axes import renamed
from windtunnel.folders import (
    SCENARIO_FILE,
    WRITTEN,
    inside,
    own_files,
    read_manifest,
    relative,
    write_csv,
    write_manifest,
    write_table,
    written_whole,
)
from windtunnel.tables import ResultsError, ResultTables

if TYPE_CHECKING:
    # Not at run time: it takes longer to load than most commands take.
    from windtunnel.plots import ResultPlots

__all__ = ["Results", "ResultsError"]

SCENARIO = "scenario.toml"


def not_results(folder: Path, of: str, error: Exception) -> ResultsError:
    """Make the error for what does not hold results of that kind."""
    help = ""
    if folder.suffix == ".toml" and folder.is_file():
        help = f"\nhelp: `windtunnel run {folder}` writes one, under results/"
    return ResultsError(f"{folder}: not a folder of {of}: {error}{help}")


@dataclass(frozen=True)
class Results(ResultTables):
    """The results of a scenario.

    `tables` holds `runs`, `flows`, `subflows`, `transfers`, `links`, `nodes`, `bridges`,
    `tunnels`, `regions`, `routers`, `route_changes`, `name_lookups`, `autonomous_systems`,
    `as_routers`, `paths`, `path_changes`, `maps`, `link_budgets`, `antennas`, `contacts`,
    `sessions`, `session_stages`, `session_nodes`, `players`, `video_segments`, `web_pages`,
    `flow_series`, `link_series`, `channel_series`, `route_series`, `subflow_series`,
    `playback_series`, `packet_events` and `node_series`; each begins with a column for every axis
    of the scenario's comparison, and `run`, the number of the replication. The names of the columns
    end with their units. Without a finished run there are no tables.
    """

    scenario: str = ""
    """The text of the scenario, with all settings."""
    manifest: dict[str, Any] = field(default_factory=dict)
    """Version, scenario file, seed, hashes of scenario and files, machine, durations, notes."""
    files: dict[str, str] = field(default_factory=dict)
    """The text of each file that the scenario names, such as a map."""

    def __repr__(self) -> str:
        """Show a summary of the flows, as the command line does."""
        # Imported here: Polars takes longer to load than most commands take.
        from windtunnel import summary

        return summary.text(self)

    def _repr_html_(self) -> str:
        """Show the same in a notebook."""
        # Imported here: Polars takes longer to load than most commands take.
        from windtunnel import summary

        return summary.html(self)

    @property
    def plot(self) -> ResultPlots:
        """The plots, one method each: `results.plot.window()`."""
        # Imported here: Altair takes longer to load than most commands take.
        from windtunnel.plots import ResultPlots

        return ResultPlots(self)

    def save(self, folder: Path | str, recorded: Path | None = None, csv: bool = False) -> Path:
        """Write a folder: scenario, manifest and a Parquet file for each table, with `csv` also
        a CSV file.

        The files that the scenario names are saved with it, so that it can be run again;
        a file outside the scenario's folder is recorded by its hash only. What is in the
        folder `recorded`, which must be on the same file system, is moved into the new folder:
        the series, captures and qlogs that the runs wrote there.

        The folder is written as a whole or not at all. The files of earlier results in it are
        replaced; other files stay. Raises OSError if it cannot be written.
        """
        folder = Path(folder)
        with written_whole(folder) as written:
            (written / SCENARIO).write_text(self.scenario, encoding="utf-8")
            for name, table in self.tables.items():
                write_table(table, written / f"{name}.parquet")
            for path in recorded.iterdir() if recorded else ():
                path.rename(written / path.name)
            if csv:
                write_copies(written)
            for name, text in self.files.items():
                if (file := inside(written, name)) and not file.exists():
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(text.encode())
            manifest = {"axes": self.axes, **self.manifest}
            if file := manifest.get(SCENARIO_FILE):
                manifest[SCENARIO_FILE] = relative(file, folder)
            write_manifest(written, manifest)
        return folder

    @classmethod
    def load(cls, folder: Path | str) -> Results:
        """Read a saved folder. Raises ResultsError if it does not hold results."""
        # Imported here: Polars takes longer to load than most commands take.
        import polars as pl

        folder = Path(folder)
        try:
            manifest = read_manifest(folder)
            axes = manifest.pop("axes")
            if file := manifest.get(SCENARIO_FILE):
                manifest[SCENARIO_FILE] = str((folder / str(file)).resolve())
            own = own_files(folder, WRITTEN)
            tables = {
                path.stem: pl.read_parquet(path)
                for path in sorted(folder.glob("*.parquet"))
                # Older manifests do not name the files.
                if path.name in own or not own
            }
            columns = renamed(axes)
            tables = {name: table.rename(columns, strict=False) for name, table in tables.items()}
            scenario = (folder / SCENARIO).read_text(encoding="utf-8")
            files = {
                name: file.read_bytes().decode()
                for name in manifest.get("files_sha256", ())
                if (file := inside(folder, name)) and file.exists()
            }
        except (OSError, ValueError, KeyError, pl.exceptions.PolarsError) as error:
            raise not_results(folder, "results", error) from error
        return cls([*columns.values()], tables, scenario, manifest, files)


def write_copies(folder: Path) -> None:
    """Write each Parquet file of a folder as CSV beside it: also those that runs recorded."""
    # Imported here: Polars takes longer to load than most commands take.
    import polars as pl

    for file in sorted(folder.glob("*.parquet")):
        write_csv(pl.read_parquet(file), file.with_suffix(".csv"))
