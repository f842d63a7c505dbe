"""The comparison with ndnSIM: its page is what the command gives, and they agree."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pytest

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "validation"))

import compare_ndnsim as compare  # noqa: E402

COMPETING = pl.col("scenario").str.starts_with("dumbbell")


@pytest.fixture(scope="module")
def theirs() -> pl.DataFrame:
    return compare.reference()


@pytest.fixture(scope="module")
def ours(theirs: pl.DataFrame) -> pl.DataFrame:
    return compare.measured(theirs, {})


def test_the_page_has_the_table_that_the_command_gives(
    theirs: pl.DataFrame, ours: pl.DataFrame
) -> None:
    page = (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")
    assert compare.comparison(theirs, ours) in page, "run `make validate`"


def test_goodput_is_ndnsims_except_where_one_packet_decides_who_leads(
    theirs: pl.DataFrame, ours: pl.DataFrame
) -> None:
    settled = ~(
        (pl.col("scenario") == "dumbbell-same-content") & (pl.col("bottleneck") == "50 Mbps")
    )
    settled = settled | pl.col("bottleneck").is_null()
    for their, our in zip(
        theirs.filter(settled).to_dicts(), ours.filter(settled).to_dicts(), strict=True
    ):
        assert our["goodput"] == pytest.approx(their["goodput"], rel=0.1), compare.case_cells(our)


def test_where_no_flows_compete_drops_and_marks_are_ndnsims_to_one_packet(
    theirs: pl.DataFrame, ours: pl.DataFrame
) -> None:
    alone = zip(
        theirs.filter(~COMPETING).to_dicts(), ours.filter(~COMPETING).to_dicts(), strict=True
    )
    for their, our in alone:
        for measure in ("drops", "marks"):
            assert abs(our[measure] - their[measure]) <= 1, (compare.case_cells(our), measure)


def test_a_page_without_a_place_for_a_table_is_refused() -> None:
    with pytest.raises(SystemExit, match="no place for a table: <!-- lost -->"):
        compare.replaced("# A page\n", {"lost": "| table |\n"})
