"""The page on routing: its examples do what it says."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

import windtunnel

PAGE = Path(__file__).parents[1] / "docs" / "routing.md"


@pytest.mark.parametrize("with_route", [False, True])
def test_the_examples_take_the_paths_that_the_page_says(tmp_path: Path, with_route: bool) -> None:
    example, route = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    file = tmp_path / "routing.toml"
    file.write_text(example + "\n" + (route if with_route else ""), encoding="utf-8")
    links = windtunnel.run(file)["links"].group_by("link").agg(pl.col("delivered").sum())
    delivered = dict(links.iter_rows())
    assert (delivered["st"] > 0) == with_route
    assert delivered["uv"] > 0
