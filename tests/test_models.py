"""Throughput models: what must hold for each, whatever is measured."""

from __future__ import annotations

from math import isclose, sqrt

import pytest

from windtunnel.papers.paper import find_paper, module

models = module(find_paper("d-tcp").folder / "models.py")

LOSSES = (1e-6, 1e-4, 1e-2)
RTT = 0.04


@pytest.mark.parametrize("loss", LOSSES)
def test_one_flow_is_reno_in_every_model_that_contains_it(loss: float) -> None:
    reno = models.reno(loss, RTT)
    assert isclose(models.d_tcp(loss, RTT, flows=1), reno)
    assert isclose(models.parallel(loss, RTT, flows=1), reno)
    assert isclose(models.veno(loss, RTT, kept=0.5), reno)
    # Growth of one segment a round trip, halved by a loss.
    assert isclose(models.compound(loss, RTT, alpha=1, beta=0.5, k=0), reno)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_sawtooth_carries_one_segment_over_the_loss_between_two_losses(loss: float) -> None:
    # From 2/3 to 4/3 of the mean in 2/3 of it round trips: the mean squared times 2/3.
    window = models.reno(loss, RTT) * RTT
    assert isclose(2 / 3 * window * window, 1 / loss)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("flows", [2, 8, 64])
def test_parallel_flows_send_more_than_as_many_reno_flows_and_d_tcp_exactly_that(
    loss: float, flows: int
) -> None:
    reno = models.reno(loss, RTT)
    assert isclose(models.d_tcp(loss, RTT, flows), flows * reno)
    assert flows * reno < models.parallel(loss, RTT, flows) <= flows * reno * sqrt(4 / 3)


def test_virtual_flows_rise_as_less_is_left_unused_and_are_never_below_one() -> None:
    assert models.virtual_flows(0.2, 100, 0) == 1
    assert isclose(models.virtual_flows(0.2, 100, 90), 2)
    assert isclose(models.virtual_flows(0.2, 100, 99), 20)
    assert models.virtual_flows(0.2, 100, 100) == float("inf")


@pytest.mark.parametrize("k", [0.0, 0.5, 0.75])
def test_faster_growth_and_a_smaller_decrease_send_more(k: float) -> None:
    usual = models.compound(1e-4, RTT, alpha=0.125, beta=0.5, k=k)
    assert models.compound(1e-4, RTT, alpha=0.25, beta=0.5, k=k) > usual
    assert models.compound(1e-4, RTT, alpha=0.125, beta=0.25, k=k) > usual


@pytest.mark.parametrize("k", [0.0, 0.5, 0.75])
def test_compound_answers_loss_with_the_power_of_its_growth(k: float) -> None:
    ratio = models.compound(1e-6, RTT, k=k) / models.compound(1e-4, RTT, k=k)
    assert isclose(ratio, 100 ** (1 / (2 - k)))


def test_an_epoch_of_compound_stepped_by_hand_carries_one_over_the_loss() -> None:
    alpha, beta, k, loss = 0.125, 0.5, 0.75, 1e-7
    mean = models.compound(loss, 1.0, alpha, beta, k)
    # Bisect for the window at a loss, with which the epoch carries that much.
    low, high = mean, 3 * mean
    for _ in range(60):
        most = (low + high) / 2
        carried, window, rounds = 0.0, (1 - beta) * most, 0
        while window < most:
            carried, rounds = carried + window, rounds + 1
            window += alpha * window**k
        low, high = (most, high) if carried < 1 / loss else (low, most)
    assert isclose(carried / rounds, mean, rel_tol=0.02)


@pytest.mark.parametrize("loss", LOSSES)
def test_westwood_without_queue_reaches_the_upper_bound_of_table_3(loss: float) -> None:
    bound = sqrt(1 - loss) / (RTT * loss)
    assert isclose(models.westwood(loss, RTT, queueing_s=0), bound)
    assert models.westwood(loss, RTT + 0.01, queueing_s=0.01) < bound


def test_fairness_is_the_ratio_that_table_3_prints() -> None:
    loss, queue, near, far = 1e-3, 0.01, 0.02, 0.2
    of = {"reno": models.reno, "veno": models.veno, "compound": models.compound}
    for model in of.values():
        ratio = model(loss, near + queue) / model(loss, far + queue)
        assert isclose(ratio, (far + queue) / (near + queue))
    ratio = models.westwood(loss, near + queue, queue) / models.westwood(loss, far + queue, queue)
    printed = sqrt((far + queue) * (loss * far + queue) / ((near + queue) * (loss * near + queue)))
    assert isclose(ratio, printed)


def test_fast_keeps_its_segments_in_the_queue() -> None:
    # Little's law: rate times delay is what stands there.
    assert isclose(models.fast(20, 0.01) * 0.01, 20)
