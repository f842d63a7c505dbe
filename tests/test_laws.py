"""The laws that need little time: what `validation/check_laws.py` shows, kept in every run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "validation"))

from check_laws import rows  # noqa: E402
from laws import delays, low_latency, queues, responses, sharing, simulate, windows  # noqa: E402


def test_windows_double_in_slow_start_and_grow_by_one_in_avoidance() -> None:
    laws = windows.laws()
    for law in laws:
        assert law.holds, law.cells()
    page = (ROOT / "docs" / "validation" / "laws.md").read_text(encoding="utf-8")
    assert rows(laws) in page, "run `make validate`"


@pytest.mark.parametrize("buffer", [0.1, 1.0])
def test_reno_alone_uses_as_much_of_the_link_as_its_buffer_allows(buffer: float) -> None:
    used = queues.utilisation((buffer, 20))
    assert used == pytest.approx(queues.utilisation_law(buffer), abs=0.01)


def test_reno_under_random_loss_has_a_window_inverse_to_its_root() -> None:
    [reno, *_] = responses.responses()
    few, many = (
        responses.mean_windows((reno, loss))["window"].mean() for loss in (10**-3.5, 10**-2.5)
    )
    assert few / many == pytest.approx(10**0.5, rel=0.1)
    assert few == pytest.approx(1.31 * 10**1.75, rel=0.1)


def test_dctcp_keeps_its_queue_between_the_models_bounds() -> None:
    for law in queues.dctcp():
        assert law.holds, law.cells()


def test_dualpi2_gives_prague_and_reno_rates_by_their_laws() -> None:
    for law in queues.dual_pi2(100, 25):
        assert law.holds, law.cells()


def test_prague_and_cubic_share_dualpi2_as_testbeds_measured() -> None:
    laws = [low_latency.ratio(15), *low_latency.rates("off")]
    for law in laws:
        assert law.holds, law.cells()


def test_fq_codel_keeps_a_sparse_flow_from_waiting_and_shares_evenly() -> None:
    for law in (queues.sparse_flow(), queues.isolation()):
        assert law.holds, law.cells()


def test_datagrams_at_random_wait_as_in_an_m_d_1_queue() -> None:
    law = queues.waiting(0.8)
    assert law.holds, law.cells()


def test_vegas_fast_and_copa_keep_their_packets_in_the_queue() -> None:
    for check in (delays.vegas, delays.fast, delays.copa):
        law = check(2)
        assert law.holds, law.cells()


def test_two_reno_flows_become_fair_and_two_scalable_ones_do_not() -> None:
    for controller, fair in (("reno", True), ("scalable", False)):
        laws, _ = sharing.convergence(controller, 167, fair, range(1, 7))
        for law in laws:
            assert not law.fails, law.cells()


def test_reno_favours_the_shorter_round_trip_by_its_square_where_both_lose_at_once() -> None:
    [law] = [law for law in sharing.reno_round_trips() if law.expected == "2"]
    assert law.holds, law.cells()


@pytest.mark.parametrize(
    ("low", "verdict"), [(0.85, "yes"), (0.95, "undecided"), (0.97, "undecided"), (0.99, "**no**")]
)
def test_a_sample_decides_a_bound_that_is_outside_its_confidence_interval(
    low: float, verdict: str
) -> None:
    # Mean 0.96, standard deviation 0.04, standard error 0.008.
    runs = [0.92, 1.0] * 13
    law = simulate.Law("", "", low, 1.0, runs, sampled=True)
    assert law.margin == pytest.approx(1.96 * 0.04 / 5)
    assert law.cells()[-1] == verdict
