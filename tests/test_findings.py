"""What a report says that was found: sentences with confidence intervals, the best first."""

from __future__ import annotations

import polars as pl
import pytest

from windtunnel.measures.columns import DELAY, GOODPUT
from windtunnel.measures.intervals import half_width
from windtunnel.report import findings


def frame(runs: dict[str, list[float | None]]) -> pl.DataFrame:
    """Give the goodput in Mbps of runs, and half as many milliseconds of delay."""
    rows = [(name, value) for name, values in runs.items() for value in values]
    schema = {"name": pl.String, "value": pl.Float64}
    value = pl.col("value")
    return pl.DataFrame(rows, schema, orient="row").with_columns(
        goodput_bps=1e6 * value, delay_s=value / 2e3
    )


def test_a_sentence_has_the_mean_and_half_its_confidence_interval() -> None:
    runs: dict[str, list[float | None]] = {"slow": [10.0, 12.0, 14.0], "fast": [30.0, 31.0, 35.0]}
    found = findings.written_down(frame(runs), [GOODPUT, DELAY])
    slow, fast = (half_width([it for it in those if it]) for those in runs.values())
    assert found.sentences == [
        # Digits after the interval's second one say nothing.
        f"Goodput: fast 32.0 ± {fast:.1f} Mbps; slow 12.0 ± {slow:.1f} Mbps.",
        # Less delay is better.
        f"Delay: slow 6.0 ± {slow / 2:.1f} ms; fast 16.0 ± {fast / 2:.1f} ms.",
    ]
    assert "95 %" in found.note


def test_of_many_the_best_and_the_worst_are_named() -> None:
    runs: dict[str, list[float | None]] = {f"case {it}": [it + 1.5] for it in range(9)}
    (said,) = findings.written_down(frame(runs), [GOODPUT]).sentences
    assert said == (
        "Goodput: most 9.500 Mbps (case 8), least 1.500 Mbps (case 0); 7 others are between."
    )


def test_a_small_value_beside_a_great_one_keeps_its_digits() -> None:
    runs: dict[str, list[float | None]] = {"near": [22.0, 22.4, 22.8], "far": [2e3, 2.2e3, 2.1e3]}
    (said,) = findings.written_down(frame(runs), [DELAY]).sentences
    near = half_width([it / 2 for it in runs["near"] if it])
    far = half_width([it / 2 for it in runs["far"] if it])
    assert said == f"Delay: near {11.2:.2f} ± {near:.2f} ms; far 1,050 ± {far:.0f} ms."


@pytest.mark.parametrize("value", [None, 0.0])
def test_nothing_is_said_of_what_was_not_measured(value: float | None) -> None:
    found = findings.written_down(frame({"one": [value, value]}), [GOODPUT])
    assert found == findings.Findings([], "")


def test_one_run_has_no_interval_and_the_note_says_so() -> None:
    found = findings.written_down(frame({"one": [3.0], "two": [4.0]}), [GOODPUT])
    assert found.sentences == ["Goodput: two 4 Mbps; one 3 Mbps."] and "One run" in found.note
