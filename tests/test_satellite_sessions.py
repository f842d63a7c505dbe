"""The paper on sessions: its measures against closed forms, and who is whose neighbour."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

import windtunnel
from windtunnel import package_data
from windtunnel.papers.paper import module

FOLDER = package_data.PAPERS / "satellite-sessions"
RUNS = 60


@pytest.fixture(scope="module")
def people() -> ModuleType:
    return module(FOLDER / "people.py")


def results(experiment: str, runs: int) -> windtunnel.Results:
    scenario = windtunnel.Scenario.load(FOLDER / f"{experiment}.toml")
    return windtunnel.run(scenario.changed({"runs": runs}), progress=False)


def assert_mean(values: list[float], expected: float) -> None:
    """Within four standard errors."""
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    assert abs(np.mean(values) - expected) < 4 * error, (np.mean(values), error, expected)


def test_pages_on_the_trail_have_the_means_of_their_closed_forms(
    measures: ModuleType, models: ModuleType
) -> None:
    found = results("table-1", RUNS)
    for serving in range(6):
        for satellite in range(serving + 1):
            taken = measures.MEASURES[f"pages-at-{satellite}"].take(found, ["serving", "run"])
            values = taken.filter(serving=f"satellite-{serving}")["value"].to_list()
            assert len(values) == RUNS
            assert_mean(values, models.pages_at(satellite, serving))
        taken = measures.MEASURES["pages"].take(found, ["serving", "run"])
        values = taken.filter(serving=f"satellite-{serving}")["value"].to_list()
        assert_mean(values, models.pages(serving))


def test_movements_have_the_means_of_their_closed_forms(
    measures: ModuleType, models: ModuleType
) -> None:
    found = results("figure-5", RUNS)
    for policy, measure, expected in (
        ("on-demand", "page-hops", models.moved(hops=True)),
        ("on-demand", "page-transfers", models.moved(hops=False)),
        ("proactive", "page-hops", models.moved_ahead()),
    ):
        taken = measures.MEASURES[measure].take(found, ["policy", "run"])
        assert_mean(taken.filter(policy=policy)["value"].to_list(), expected)


def test_the_closed_forms_are_those_of_another_program(models: ModuleType) -> None:
    distinct = [333.7469, 499.4362, 610.8866, 691.6482, 752.4816, 799.4355]
    assert [models.pages(it) for it in range(6)] == pytest.approx(distinct, abs=1e-4)
    for serving in range(6):
        parts = sum(models.pages_at(it, serving) for it in range(serving + 1))
        assert parts == pytest.approx(models.pages(serving), rel=1e-12)


def test_the_papers_table_gives_its_own_number_of_transfers_and_another_of_hops() -> None:
    """What left a satellite between two rows has moved to the one that serves."""
    table = [
        [336],
        [172, 327],
        [118, 168, 322],
        [91, 113, 157, 343],
        [67, 94, 108, 164, 330],
        [54, 73, 86, 110, 173, 310],
    ]
    transfers = hops = 0
    for serving in range(1, 6):
        for satellite in range(serving):
            left = table[serving - 1][satellite] - table[serving][satellite]
            transfers += left
            hops += left * (serving - satellite)
    assert (transfers, hops) == (1162, 1697)
    assert sum(sum(row) for row in table[:5]) == 2910


def test_a_busy_satellite_is_without_an_idle_neighbour_only_if_all_are_busy(
    people: ModuleType,
) -> None:
    names = ["a", "b", "c", "d"]
    links = [("a", "b"), ("b", "a"), ("b", "c"), ("c", "b"), ("c", "d"), ("d", "c")]
    # At the first instant b and its neighbours are alike; at the second one has nobody.
    counts = np.array([[90.0, 90.0], [100.0, 100.0], [80.0, 0.0], [0.0, 0.0]])
    found = people.without_idle_neighbour((names, counts), links, "half")
    # Busy: a, b and c, of which c has the idle d; then a and b, of which b has the idle c.
    assert found == pytest.approx(3 / 5)
