"""The results of a study: a frame of its runs, and their tables."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from windtunnel.axes import renamed
from windtunnel.folders import read_manifest
from windtunnel.measures.frame import Parameter, StudyFrame
from windtunnel.results import not_results
from windtunnel.studies.measures import MEASURES
from windtunnel.studies.store import OF_FRAMES, RUNS, TABLES, Store, schema

if TYPE_CHECKING:
    import polars as pl

    from windtunnel.plots import StudyPlots

STUDY = "study.toml"
POINTS = "points.parquet"


@dataclass(frozen=True)
class StudyResults(StudyFrame):
    """The results of a study."""

    failures: pl.DataFrame
    """Parameters, `seed`, `key` and `error` of each run that failed."""
    planned: int
    """The number of runs in the study so far; a stop rule may add more."""
    folder: Path | None
    store: Store | None = None
    points: pl.DataFrame | None = None
    """Parameters, `seed` and `key` of all runs of the study."""

    def __repr__(self) -> str:
        """Show how many runs there are, and the frame."""
        return f"{self._counts()}\n{self.frame}"

    def _repr_html_(self) -> str:
        """Show the same in a notebook."""
        return f"<p>{escape(self._counts())}</p>{self.frame._repr_html_()}"

    def _counts(self) -> str:
        finished = f"{self.frame.height:,} of {self.planned:,} runs finished"
        failed = f", {self.failures.height:,} failed" if self.failures.height else ""
        return f"{self.title}: {finished}{failed}" if self.title else finished + failed

    def table(self, name: str) -> pl.DataFrame:
        """Give a table of all finished runs, with the parameters and the seed as first columns.

        `name` is `runs`, `flows`, `transfers`, `links`, `nodes`, `bridges` or `tunnels`. Raises
        StudyError if the store cannot be read, and KeyError for another name.
        """
        import polars as pl

        if name not in TABLES:
            raise KeyError(name)
        table = self.store.table(name) if self.store else None
        if table is None or self.points is None:
            return pl.DataFrame()
        finished = self.points.join(self.frame.select("key"), on="key", how="semi")
        return finished.join(table, on="key", how="inner", maintain_order="left_right")

    @property
    def errors(self) -> list[tuple[str, int]]:
        """Each error of runs that failed, with their number; the most frequent one first."""
        return Counter(self.failures["error"].to_list()).most_common()

    @property
    def unfinished(self) -> str:
        """How many transfers did not end within their runs, in a sentence; empty if all did.

        Raises StudyError if the store cannot be read.
        """
        from windtunnel.measures import transfers

        return transfers.unfinished(self.table("flows"))

    @property
    def plot(self) -> StudyPlots:
        """Its plots: `results.plot.compare("goodput", by="controller")`."""
        from windtunnel.plots import StudyPlots

        return StudyPlots(self)

    @classmethod
    def load(cls, folder: Path | str) -> StudyResults:
        """Read a study's folder. Raises ResultsError if it is not one, or StudyError."""
        import polars as pl

        folder = Path(folder)
        try:
            manifest = read_manifest(folder)
            columns = renamed((it["name"] for it in manifest["parameters"]), OF_FRAMES)
            points = pl.read_parquet(folder / POINTS).rename(columns)
            store = Store(folder / manifest["store"])
            parameters = [
                Parameter(**it | {"name": columns[it["name"]]}) for it in manifest["parameters"]
            ]
            title, planned = manifest["title"], manifest["planned"]
        except (OSError, ValueError, KeyError, TypeError, pl.exceptions.PolarsError) as error:
            raise not_results(folder, "a study", error) from error
        return of_points(title, parameters, points, store, planned, folder)


def of_points(
    title: str,
    parameters: list[Parameter],
    points: pl.DataFrame,
    store: Store,
    planned: int,
    folder: Path | None,
) -> StudyResults:
    """Join points with their runs in the store."""
    import polars as pl

    stored = store.table(RUNS)
    # All measures are there, even of runs of earlier versions or of none.
    runs = pl.concat(
        [pl.DataFrame(schema=schema()), *([] if stored is None else [stored])],
        how="diagonal_relaxed",
    )
    joined = points.join(runs, on="key", how="inner", maintain_order="left")
    failed = pl.col("error").is_not_null()
    return StudyResults(
        title=title,
        parameters=parameters,
        frame=joined.filter(~failed).select(*points.columns, *MEASURES),
        failures=joined.filter(failed).select(*points.columns, "error"),
        planned=planned,
        folder=folder,
        store=store,
        points=points,
    )


def is_study(folder: Path) -> bool:
    """Say whether a folder is a study's."""
    return (folder / POINTS).exists()
