"""Tables of studies: rounded for the page, and in full precision as CSV."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from windtunnel.measures.columns import MeasuredColumn
from windtunnel.measures.frame import Parameter
from windtunnel.pictures.studies import measures
from windtunnel.pictures.studies.layout import text_of
from windtunnel.report.tables import MOST_ROWS, SPREAD_NOTE, Cell, Column, Table, numbers, text
from windtunnel.studies.outcome import StudyResults


@dataclass(frozen=True)
class Numbers:
    """A table of a study: as the page shows it, and as its file holds it."""

    name: str
    """The stem of its file's name."""
    table: Table
    frame: pl.DataFrame


def tables(results: StudyResults) -> list[Numbers]:
    """Tabulate the spread for each combination of parameters, and the failed runs."""
    made = [] if results.frame.is_empty() else [summary(results)]
    return [*made, *([failures(results)] if results.failures.height else [])]


def summary(results: StudyResults) -> Numbers:
    """Tabulate each measure's spread over the seeds, for each combination of parameters."""
    first = combinations(results)
    spreads = {it: of_rows(results, first, it) for it in measures.measured(results)}
    shown = first.head(MOST_ROWS)
    columns = [text(it.name, shown[key].to_list()) for key, it in keyed(results.parameters)]
    columns.append(Column("runs", True, [Cell(f"{it:,}") for it in shown["runs"]]))
    columns += [numbers(it, found.head(MOST_ROWS).to_struct()) for it, found in spreads.items()]
    note = SPREAD_NOTE
    if first.height > MOST_ROWS:
        note += f" The first {MOST_ROWS} of {first.height:,} rows; all are in the CSV file."
    whole = pl.concat(
        [
            first.select(
                *(
                    pl.col(f"{key} value").alias(column(it))
                    for key, it in keyed(results.parameters)
                ),
                "runs",
            ),
            *(prefixed(it, spread) for it, spread in spreads.items()),
        ],
        how="horizontal",
    )
    return Numbers("summary", Table("Combinations of parameters", columns, note), whole)


def keyed(parameters: list[Parameter]) -> list[tuple[str, Parameter]]:
    """Name a column for each parameter that clashes with no other."""
    return [(f"key {index}", it) for index, it in enumerate(parameters)]


def combinations(results: StudyResults) -> pl.DataFrame:
    """Give each combination that was run: its values as they are and as texts, and its runs."""
    keys = keyed(results.parameters)
    columns = {"all": pl.lit(0)}
    for key, it in keys:
        columns[f"{key} place"] = place(it)
        columns[f"{key} value"] = pl.col(it.name)
        columns[key] = text_of(it)
    found = results.frame.select(**columns).group_by(*columns).agg(runs=pl.len())
    return found.sort("all", *(f"{key} place" for key, _ in keys))


def place(parameter: Parameter) -> pl.Expr:
    """Give the place of each run's value, as the study has them."""
    values = parameter.numbers or parameter.values
    places = {value: place for place, value in enumerate(dict.fromkeys(values))}
    return pl.col(parameter.name).replace_strict(places)


def of_rows(results: StudyResults, rows: pl.DataFrame, measure: MeasuredColumn) -> pl.DataFrame:
    """Give a measure's spread over the seeds for each row of `combinations`."""
    places = {f"{key} place": place(it) for key, it in keyed(results.parameters)}
    keys = {"all": pl.lit(0), **places}
    samples = results.frame.select(**keys, value=measures.known(measure))
    spread = measures.spread(samples, [*keys])
    return rows.select(*keys).join(spread, on=[*keys], how="left", maintain_order="left")


def failures(results: StudyResults) -> Numbers:
    """List the runs that failed with their errors."""
    failed = results.failures
    shown = failed.head(MOST_ROWS)
    named = shown.select(text_of(it).alias(key) for key, it in keyed(results.parameters))
    columns = [text(it.name, named[key].to_list()) for key, it in keyed(results.parameters)]
    columns.append(Column("seed", True, [Cell(str(it)) for it in shown["seed"]]))
    columns.append(text("error", shown["error"].to_list()))
    note = ""
    if failed.height > MOST_ROWS:
        note = f"The first {MOST_ROWS} of {failed.height:,} rows; all are in the CSV file."
    renamed = failed.rename({it.name: column(it) for it in results.parameters})
    return Numbers("failures", Table("Failed runs", columns, note), renamed)


def runs(results: StudyResults) -> pl.DataFrame:
    """Give all finished runs with the units in the columns' names."""
    return results.frame.rename({it.name: column(it) for it in results.parameters})


def prefixed(measure: MeasuredColumn, spread: pl.DataFrame) -> pl.DataFrame:
    """Give a measure's spread with its name before each column."""
    ends = ("mean", "low", "high", "minimum", "maximum", "runs")
    return spread.select(pl.col(it).alias(f"{measure.column}_{it}") for it in ends)


def column(parameter: Parameter) -> str:
    """Name a parameter's column, with its unit in brackets, unlike the columns of measures."""
    unit = "" if parameter.numbers is None else parameter.unit
    return f"{parameter.name} ({unit})" if unit else parameter.name
