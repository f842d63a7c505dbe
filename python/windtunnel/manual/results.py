"""The manual's page on results: what a report shows, and every column of every table."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl

from windtunnel.measures.columns import described
from windtunnel.measures.definitions import definitions
from windtunnel.running import run_scenario
from windtunnel.scenario.scenario import Scenario

SMALLEST = """\
duration = "100 ms"
nodes = { one = {}, two = {} }
links.wire = { nodes = ["one", "two"], rate = "1 Mbps", delay = "1 ms" }
flows.one = { from = "one", to = "two", controller = "reno" }
"""
"""A scenario with all tables: they are there also where nothing was measured."""

PAGE = """\
# Results

## The report
`windtunnel report results/first` writes `results/first/report.html`, one file that opens offline;
`--figures` also writes each picture as SVG and PDF under `figures/`. On the page, *SVG* saves a
picture as it is shown. For a paper, state the width of its column:

```console
$ windtunnel report results/first --figures --width 3.4in --format pdf
```

Each picture is then a file of exactly this width (`in`, `cm`, `mm` or `pt`; from 1 to 20 inches)
with text of 8 points. Lines are named at their ends where there is room, else in a legend below. A
PDF embeds its fonts; `--format` is `svg`, `pdf` or `png` (300 dots per inch), and may be repeated.
The names of the files are those of the page's pictures.

- The page begins with what was found: of videos the bitrate played and the time stalled, then
  goodput, delay and completion time of each case (of a single case: of its flows), the best first,
  with half the 95 % confidence interval of the mean over the runs. Of more than four cases it names
  the best and the worst.
- The network, of the first case and run: its links by their use, queues as bars, and a slider that
  plays the run. A link or a flow, when selected, shows its own pictures further down, where any
  can be chosen.
- Lines and bars are flows by their names in the file, if one picture has room for all of them; or
  else flows whose names differ in a number (`bulk-1`, `bulk-2`), or those of one controller.
  Where several controllers are compared, each has one colour and shape in all pictures, also in
  those of a paper's other pages; lines of one controller differ in their dashes. With a single
  controller each line has its own colour. Figures of papers compare controllers.
- Cases are headings above the bars of their flows. Where lines of many cases need several
  pictures, these have the same axes. An axis is logarithmic where lines lie more than a factor of
  30 apart, or the highest delays are far above the median; that of bars is linear, from zero.
- Of several runs, tables and bars have the mean, its 95 % confidence interval (Student's t) and,
  in small print, the least and the greatest run; digits after the interval's second one are left
  out. Sentences above them say by how much each case differs from the first one, paired by run,
  with the interval of the difference.
- Goodput is over the whole run, `active_s` the time in which a flow was active. Of a case it is the
  total of the direction that received more, and the busiest link is that of the same direction.
  Its delay is the mean of the flows of TCP (until the acknowledgement) and NDN (from Interest to
  Data); that of datagrams, one way, is a column of its own. Jain's index is of the goodput, while
  they are active, of the flows that way whose senders always have data.
- Distributions of delays and of completion times, slowdowns by size, hit ratios of content stores,
  loss and jitter of datagrams, where there are any. A delay in them is the mean of an interval of
  the recording.
- Dashed lines on axes of time are what the scenario says that happens then: flows that start or
  stop, links that fail, return or change.
- Drawn over time is what came in any order (`received_bps`). `goodput_bps` of the series is of data
  in order: after a loss, what waited comes at once, in one interval.

## Tables
Every column of every table, made by `make docs` from the code that fills it,
`crates/lab/src/tables`.

Each table begins with a column for every axis of the scenario's comparison, named as the axis,
then `run`. Where any table has another column of that name, that of the axis has `axis.` before
it: an axis `mtu_bytes` is the column `axis.mtu_bytes`. A column that a later version adds can thus
change the name of an axis's column, but never what a column holds.

[python.md](python.md) says how to read tables; `results["flows"]` is the table `flows`, and
`flows.parquet` its file; with `run --csv` there is `flows.csv` beside it. A table without rows is
there all the same. Counts are of the whole run, and in series (`…_series`) of the interval that
ends at `time_s`. What does not apply is empty.
"""


def page(tables: Mapping[str, pl.DataFrame]) -> str:
    """Write the manual's page on the tables of results."""
    parts = [PAGE]
    parts += ["\n".join(section(name, tables[name])) for name in in_order(list(tables))]
    return "\n".join(parts)


def in_order(names: list[str]) -> list[str]:
    """Put each series behind the table of what it samples."""

    def place(name: str) -> tuple[int, bool]:
        whole = f"{name.removesuffix('_series')}s"
        is_series = name.endswith("_series")
        return names.index(whole if is_series and whole in names else name), is_series

    return sorted(names, key=place)


def unit(table: str, column: str, dtype: pl.DataType) -> str:
    """Name the unit of a column of a table, or what it holds."""
    if dtype == pl.String:
        return "text"
    if dtype == pl.Boolean:
        return "true or false"
    counts = dtype.is_integer() and definitions()[table].columns[column].unit is None
    return described(column, table).unit or ("count" if counts else "")


def section(name: str, table: pl.DataFrame) -> Iterator[str]:
    """Write the lines on one table."""
    yield f"## `{name}`\n\n{definitions()[name].about}\n"
    yield "| column | unit | definition |\n|---|---|---|"
    for column, dtype in table.schema.items():
        defined = definitions()[name].columns[column].definition
        yield f"| `{column}` | {unit(name, column, dtype)} | {defined} |"
    yield ""


def all_tables() -> Mapping[str, pl.DataFrame]:
    """Give every table of results, from the smallest scenario."""
    return run_scenario(Scenario.parse(SMALLEST)).tables


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(all_tables()), encoding="utf-8")
