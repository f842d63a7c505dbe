"""The numbers that a paper published, in tables, and the file that holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from windtunnel.papers.agreement import rounding
from windtunnel.papers.errors import PaperError
from windtunnel.papers.paper import Paper, explain, load

PUBLISHED = "published.toml"


@dataclass(frozen=True)
class Table:
    """A table of a paper, or the values of a figure."""

    id: str
    measures: list[str]
    axis: str
    """The axis of the experiments whose cases are its columns."""
    mean_over: list[str] | None
    """The experiments whose mean its rows give; None: a row is the experiment of its name."""
    rows: dict[str, dict[str, Decimal]]
    """The published values of each row, by column."""
    printed: list[Decimal]
    """All values that the paper prints in it, of rows that do not run as well."""
    where: dict[str, str] = field(default_factory=dict)
    """The case on each other axis."""
    chosen: str = ""
    """How its values were brought about, if they were chosen and are no results."""
    single_run: bool = False
    """Whether the paper has its values of one run each, and not as means."""

    def half_digit(self, row: str, column: str) -> float:
        """Give half a unit of the last digit of a value; a zero has those of its table."""
        return rounding(self.rows[row][column], self.printed)

    def experiments(self, row: str) -> list[str]:
        """List the experiments that give a row."""
        return self.mean_over or [row]

    def all_experiments(self) -> list[str]:
        """List the experiments that give its rows."""
        return [name for row in self.rows for name in self.experiments(row)]


@dataclass(frozen=True)
class Published:
    """The numbers that a paper published."""

    tables: list[Table]

    def measures(self, experiment: str) -> list[str]:
        """List the measures of an experiment that they use."""
        tables = [it for it in self.tables if experiment in it.all_experiments()]
        return list(dict.fromkeys(name for table in tables for name in table.measures))

    def row(
        self, experiment: str, measure: str, axis: str, where: Mapping[str, str]
    ) -> Mapping[str, Decimal]:
        """Find the values of an experiment in a measure by column; empty if there are none."""
        for table in self.tables:
            same = table.measures[0] == measure and (table.axis, table.where) == (axis, where)
            for row, values in table.rows.items():
                if same and values and table.experiments(row) == [experiment]:
                    return values
        return {}


def read_published(paper: Paper) -> Published:
    """Read what a paper published. Raises PaperError for an invalid file."""
    file = paper.folder / PUBLISHED
    data = load(file)
    try:
        return Published(tables=[read_table(it) for it in data["tables"]])
    except (KeyError, TypeError) as error:
        raise PaperError(f"{file}: {explain(error)}") from error


def read_table(table: Mapping[str, Any]) -> Table:
    """Read a table. Raises KeyError or TypeError for an invalid one."""
    rows = {
        row: {name: Decimal(value) for name, value in values.items()}
        for row, values in table["rows"].items()
    }
    return Table(
        id=table["id"],
        measures=table["measures"],
        axis=table["axis"],
        mean_over=table.get("mean-over"),
        rows=rows,
        printed=[value for values in rows.values() for value in values.values()],
        where=table.get("where", {}),
        chosen=table.get("chosen", ""),
        single_run=table.get("single-run", False),
    )
