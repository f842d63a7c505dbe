"""Players of videos: their tables, and what a report draws of them."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl
import pytest

import windtunnel
from windtunnel import Results
from windtunnel.pictures import playback
from windtunnel.pictures.cases import Comparison
from windtunnel.report import write_report
from windtunnel.report.findings import of_results

VIDEO = Path("scenarios/video.toml")


@pytest.fixture(scope="module")
def results() -> Results:
    """Run the film, the stream and the call."""
    return windtunnel.run(VIDEO)


def test_the_scenario_shows_what_a_slow_line_does_to_each_player(results: Results) -> None:
    players = results["players"]
    film, stream, call = (players.filter(flow=it) for it in ("film", "stream", "call"))
    # The line is slower than the film for 70 s, and the call waits behind larger packets.
    assert (film["underflows"] > 0).all()
    assert (film["played_s"] == 150.0).all()
    assert (call["late_frames"] > 0).all()
    assert call["frames"].to_list() == [5400] * 3
    assert stream["player_rule"].to_list() == stream["rule"].to_list()
    assert stream["quality_bps"].is_between(230e3, 6000e3).all()


def test_the_mean_bitrate_is_that_of_the_segments(results: Results) -> None:
    for player in results["players"].filter(flow="stream").iter_rows(named=True):
        segments = results["video_segments"].filter(rule=player["rule"])
        assert segments.height == player["video_segments"]
        played = segments.head(math.ceil(player["played_s"] / 3))
        assert played["quality_bps"].mean() == pytest.approx(player["quality_bps"])
        assert (played["quality_bps"].diff().fill_null(0) != 0).sum() == player["switches"]


def test_buffers_fall_by_a_second_in_a_second_or_stall(results: Results) -> None:
    film = results["playback_series"].filter(rule="bola", flow="film")
    interval = 0.1
    assert film["time_s"].diff().drop_nulls().to_list() == pytest.approx([interval] * 1799)
    assert (film["buffer_s"].diff().drop_nulls() >= -interval - 1e-9).all()
    stalls = playback.stalled(film.with_columns(case=pl.lit(0)))
    stalled = math.fsum(stalls["end_s"] - stalls["start_s"])
    (counted,) = results["players"].filter(rule="bola", flow="film")["stalled_s"]
    # A stall is seen at samples only, of which it may miss one at each end.
    assert abs(stalled - counted) <= 2 * interval * stalls.height


def test_a_report_shows_buffers_stalls_and_quality(results: Results, tmp_path: Path) -> None:
    drawn = playback.playback(Comparison(results))
    assert [it.name for it in drawn] == ["buffer-1", "buffer-2", "quality-2"]
    assert [it.title for it in drawn] == ["Buffer: film", "Buffer: stream", "Quality: stream"]
    assert all("stalls" in it.caption for it in drawn[:1])
    page = write_report(results.save(tmp_path / "video")).read_text()
    assert "<h2>Players</h2>" in page
    assert "start-up delay" in page
    assert "bitrate played" in page


def test_what_was_found_begins_with_what_viewers_see(results: Results) -> None:
    played = results["players"].rows_by_key("rule", named=True)
    bitrates = {
        rule: next(it["quality_bps"] for it in rows if it["quality_bps"]) / 1e6
        for rule, rows in played.items()
    }
    stalls = {rule: sum(it["stalled_s"] or 0.0 for it in rows) for rule, rows in played.items()}
    best = sorted(bitrates, key=lambda it: -bitrates[it])
    bitrate, stalled, *others = of_results(Comparison(results)).sentences
    said = "; ".join(f"{it} {bitrates[it]:.3f} Mbps" for it in best)
    assert bitrate == f"Mean bitrate played: {said}."
    least = min(stalls, key=lambda it: stalls[it])
    assert stalled.startswith(f"Playing stalled: {least} {stalls[least]:.4g} s;")
    assert [it.split(":")[0] for it in others] == ["Goodput", "Delay"]


def test_results_without_players_have_no_pictures_of_them(scenario: Path) -> None:
    results = windtunnel.run(scenario)
    assert playback.playback(Comparison(results)) == []
    older = {name: table for name, table in results.tables.items() if "play" not in name}
    assert playback.playback(Comparison(Results(results.axes, older))) == []
