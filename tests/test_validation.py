"""The comparisons with ndnSIM and ns-3: their pages are what the commands give."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import polars as pl
import pytest

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "validation"))

import compare_ndnsim as compare  # noqa: E402
import compare_ns3 as ns3  # noqa: E402

SETTLED = ~pl.col("scenario").str.starts_with("dumbbell") | (
    (pl.col("scenario") == "dumbbell-same-content") & (pl.col("bottleneck") == "5 Mbps")
)


@pytest.fixture(scope="module")
def theirs() -> pl.DataFrame:
    published: pl.DataFrame = compare.reference()
    return published


@pytest.fixture(scope="module")
def ours(theirs: pl.DataFrame) -> pl.DataFrame:
    measured: pl.DataFrame = compare.measured(theirs, {})
    return measured


def test_the_page_has_the_table_that_the_command_gives(
    theirs: pl.DataFrame, ours: pl.DataFrame
) -> None:
    page = (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")
    assert compare.comparison(theirs, ours) in page, "run `make validate`"


def test_goodput_is_ndnsims(theirs: pl.DataFrame, ours: pl.DataFrame) -> None:
    for their, our in zip(theirs.to_dicts(), ours.to_dicts(), strict=True):
        assert our["goodput"] == pytest.approx(their["goodput"], rel=0.04), compare.case_cells(our)


def test_where_few_ties_matter_drops_and_marks_are_ndnsims_to_one_packet(
    theirs: pl.DataFrame, ours: pl.DataFrame
) -> None:
    settled = zip(theirs.filter(SETTLED).to_dicts(), ours.filter(SETTLED).to_dicts(), strict=True)
    for their, our in settled:
        for measure in ("drops", "marks"):
            assert abs(our[measure] - their[measure]) <= 1, (compare.case_cells(our), measure)


def test_a_page_without_a_place_for_a_table_is_refused() -> None:
    with pytest.raises(SystemExit, match="no place for a table: <!-- lost -->"):
        compare.replaced("# A page\n", {"lost": "| table |\n"})


@pytest.fixture(scope="module")
def ns3_page() -> str:
    return (ROOT / "docs" / "validation" / "ns3.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def ns3_lines(ns3_page: str) -> list[list[str]]:
    """The cells of the table of all rows, without its head."""
    [text] = re.findall(
        "<!-- ns-3: comparison -->(.*)<!-- end of ns-3: comparison -->", ns3_page, re.DOTALL
    )
    return [line.strip("| ").split(" | ") for line in text.strip().splitlines()[2:]]


def test_the_page_on_ns3_has_every_row_with_ns3s_values(ns3_lines: list[list[str]]) -> None:
    rows = ns3.reference()
    assert len(ns3_lines) == len(rows)
    for cells, row in zip(ns3_lines, rows, strict=True):
        assert cells[:4] == [ns3.case_name(row), *ns3.path_cells(row)]
        goodput, drops, marks, queue = cells[4], *cells[6:9]
        assert bool(marks) == (row["queue"] != "drop-tail"), cells
        if marks:
            assert marks.startswith(f"{ns3.number(row['marks'][0])} / "), cells
        for cell, value in (
            (goodput, row["goodput_mbps"][0]),
            (drops, row["drop_rate"][0] * 100),
            (queue, row["queue_delay_ms"][0]),
        ):
            assert cell.strip("*").startswith(f"{ns3.number(value)} / "), cells


def test_every_row_that_parts_from_ns3_has_a_cause_and_the_page_tells_it(
    ns3_page: str, ns3_lines: list[list[str]]
) -> None:
    told = set(re.findall(r"^- \*\*(\w+)\*\*", ns3_page, re.MULTILINE))
    for cells in ns3_lines:
        words = cells[10].strip().split(", ") if len(cells) > 10 else []
        assert any("**" in cell for cell in cells) == bool(words), cells
        assert set(words) <= told, cells


@pytest.mark.parametrize(
    ("controller", "queue", "loss", "buffer"),
    [("Cubic", "codel", 0, 6), ("LinuxReno", "drop-tail", 0, 0.5), ("Cubic", "drop-tail", 0.01, 2)],
)
def test_rows_that_ns3_does_like_us_come_out_alike_and_as_the_page_says(
    ns3_lines: list[list[str]], controller: str, queue: str, loss: float, buffer: float
) -> None:
    wanted = {"controllers": [controller], "queue": queue, "loss": loss, "buffer_bdp": buffer}
    at, row = next(
        (at, row)
        for at, row in enumerate(ns3.reference())
        if row["rate_mbps"] >= 50 and wanted.items() <= row.items()
    )
    ours = ns3.simulate(row, {})
    assert ours["goodput_mbps"] == pytest.approx(row["goodput_mbps"][0], rel=0.1)
    [said] = re.findall(r"/ ([\d.]+)", ns3_lines[at][4])
    assert ours["goodput_mbps"] == pytest.approx(float(said), rel=0.02), "run `make validate`"
