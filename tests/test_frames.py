"""Tables as frames of other libraries, by way of Arrow."""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import windtunnel
from conftest import SCENARIO
from windtunnel import Scenario


def place(array: pa.Array) -> int:
    """Give the address of an array's values in memory."""
    address: int = array.buffers()[1].address
    return address


def test_polars_takes_the_core_s_tables_without_a_copy() -> None:
    tables = Scenario.parse(SCENARIO).start(1).finish().tables()
    table = tables["flow_series"]
    taken = pl.DataFrame(table)
    assert taken.height > 0
    [chunk] = pa.table(table)["goodput_bps"].chunks
    assert place(taken["goodput_bps"].to_arrow()) == place(chunk)


def test_pandas_takes_a_table_without_a_copy(scenario: Path) -> None:
    flows = windtunnel.run(scenario)["flows"]
    frame = flows.to_pandas(use_pyarrow_extension_array=True)
    assert frame["goodput_bps"].mean() == pytest.approx(flows["goodput_bps"].mean())
    [chunk] = frame["goodput_bps"].array._pa_array.chunks
    assert place(chunk) == place(flows["goodput_bps"].to_arrow())


def test_duckdb_asks_a_table_by_its_name(scenario: Path) -> None:
    flows = windtunnel.run(scenario)["flows"]
    asked = "SELECT controller, avg(goodput_bps) AS mean FROM flows GROUP BY controller"
    answer = duckdb.sql(asked)
    assert answer
    means = dict(answer.fetchall())
    for controller, mean in means.items():
        assert mean == pytest.approx(flows.filter(controller=controller)["goodput_bps"].mean())
    assert set(means) == {"cubic", "aimd"}
