"""A run on several threads gives what it gives on one."""

from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

import windtunnel

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", ["first", "tcp"])
def test_results_are_the_same_on_any_number_of_threads(name: str) -> None:
    file = ROOT / "scenarios" / f"{name}.toml"
    settings = {"duration": "2 s"}
    one, three = (
        windtunnel.run(file, settings=settings, jobs=1, threads=it, progress=False) for it in (1, 3)
    )
    assert one.tables.keys() == three.tables.keys()
    for table in one.tables.keys() - {"runs"}:
        assert_frame_equal(one[table], three[table])
