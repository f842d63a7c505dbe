"""What is written in Python beside the core: schedulers, policies, rules; and players of video."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import polars as pl
import pytest
from gymnasium.utils.env_checker import check_env

import windtunnel
from windtunnel.bitrate_rules import BitrateRule, Download, Ladder, Situation
from windtunnel.environments import VideoEnvironment
from windtunnel.extensions import ExtensionError
from windtunnel.paging_policies import PagingPolicy, PagingView
from windtunnel.pictures.units import minimum
from windtunnel.schedulers import Scheduler, SchedulerView

ROOT = Path(__file__).parents[1]

PATHS = """\
duration = "5 s"
nodes = { a = {}, b = {} }
links.one = { nodes = ["a", "b"], rate = "10 Mbps", delay = "10 ms" }
links.two = { nodes = ["a", "b"], rate = "4 Mbps", delay = "40 ms", loss = "0.5 %" }
defaults.link.queue = { kind = "drop-tail", limit = "50 packets" }
flows.f = { from = "a", to = "b", controller = "cubic", multipath = { scheduler = "lowest-rtt" } }
"""

VIDEO = """\
duration = "60 s"
nodes = { a = {}, b = {} }
links.one = { nodes = ["a", "b"], rate = "3 Mbps", delay = "10 ms" }
defaults.link.queue = { kind = "drop-tail", limit = "50 packets" }
defaults.flow = { from = "a", to = "b", controller = "cubic" }

[flows.v.workload]
kind = "adaptive-video"
levels = ["300 kbps", "750 kbps", "1.2 Mbps", "2.85 Mbps"]
segment = "2 s"
duration = "40 s"
rule = { kind = "mpc", horizon = 3 }
"""
RULE = "flows.v.workload.rule"
SLOWER = {
    "links.one.changes": [{"at": "8 s", "rate": "500 kbps"}, {"at": "14 s", "rate": "2 Mbps"}]
}


def scenario(folder: Path, text: str) -> Path:
    """Write a scenario."""
    file = folder / "scenario.toml"
    file.write_text(text, encoding="utf-8")
    return file


# -- Schedulers ---------------------------------------------------------------


class LowestRtt(Scheduler):
    """As the core's `lowest-rtt`."""

    def choose(self, view: SchedulerView) -> int | None:
        """Choose the nearest open subflow."""
        open_ones = [it for it in view.subflows if it.is_open]
        if not open_ones:
            return None
        return min(open_ones, key=lambda it: it.smoothed_rtt or 2**63).place


def test_a_scheduler_in_python_gives_what_the_same_gives_in_the_core(tmp_path: Path) -> None:
    file = scenario(tmp_path, PATHS)
    core = windtunnel.run(file)
    settings = {"flows.f.multipath.scheduler": "mine"}
    own = windtunnel.run(file, settings=settings, extensions={"mine": LowestRtt}, threads=2)
    assert minimum(own["subflows"]["retransmissions"]) >= 0
    for table in ("flow_series", "subflow_series", "links"):
        assert own[table].equals(core[table])


def test_a_scheduler_sees_its_subflows_and_is_told_what_was_sent(tmp_path: Path) -> None:
    seen: list[SchedulerView] = []
    sent: list[tuple[int, int, int]] = []

    class Curious(LowestRtt):
        wants_rates = True

        def choose(self, view: SchedulerView) -> int | None:
            seen.append(view)
            return super().choose(view)

        def on_sent(self, subflow: int, start: int, end: int) -> None:
            sent.append((subflow, start, end))

    settings = {"flows.f.multipath.scheduler": "mine"}
    file = scenario(tmp_path, PATHS)
    results = windtunnel.run(file, settings=settings, extensions={"mine": Curious})
    first = [it for it in sent if it[1] == 0]
    assert first, "the first byte was given to a subflow"
    # New data goes in order: each new piece begins where the one before ended.
    reached = 0
    for _, start, end in sent:
        assert start <= reached
        reached = max(reached, end)
    assert reached >= results["flows"]["received_bytes"][0]
    assert [it.now for it in seen] == sorted(it.now for it in seen)
    for view in seen:
        assert view.unacknowledged <= view.next
        for it in view.subflows:
            assert it.is_usable or not it.is_open
            # 20 and 80 ms there and back.
            least = (20_000_000, 80_000_000)[it.place]
            assert it.smoothed_rtt is None or it.smoothed_rtt >= least
    rates = [it.subflows[0].delivery_rate for it in seen[-100:]]
    assert all(it is not None for it in rates)


def test_a_scheduler_that_never_sends_ends_with_a_run_that_carried_nothing(
    tmp_path: Path,
) -> None:
    class Silent(Scheduler):
        def choose(self, view: SchedulerView) -> None:
            return None

    settings = {"flows.f.multipath.scheduler": "mine"}
    file = scenario(tmp_path, PATHS)
    results = windtunnel.run(file, settings=settings, extensions={"mine": Silent})
    assert results["flows"]["received_bytes"].to_list() == [0]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (7, "scheduler `mine`: choose: there is no subflow 7; there are 2, counted from 0"),
        ("first", "scheduler `mine`: choose: "),
        (None.__class__, "scheduler `mine`: choose: "),
    ],
)
def test_a_wrong_answer_of_a_scheduler_ends_the_run_with_a_message(
    tmp_path: Path, answer: Any, message: str
) -> None:
    class Wrong(Scheduler):
        def choose(self, view: SchedulerView) -> Any:
            return answer

    settings = {"flows.f.multipath.scheduler": "mine"}
    with pytest.raises(ExtensionError, match=re.escape(message)):
        windtunnel.run(scenario(tmp_path, PATHS), settings=settings, extensions={"mine": Wrong})


# -- Policies of paging -------------------------------------------------------

TRAIL = """\
duration = "31 s"
recording = { flows = false, links = false }
nodes = { a = {}, b = {}, c = {} }
links.ab = { nodes = ["a", "b"], rate = "1 Gbps", delay = "0.1 ms" }
links.bc = { nodes = ["b", "c"], rate = "1 Gbps", delay = "0.1 ms" }

[sessions.s]
trail = ["a", "b", "c"]
stage = "10 s"
access_interval = "10 ms"
pages = 200
tcp = { controller = "cubic" }
"""
PAGING = "sessions.s.policy"


class Popular(PagingPolicy):
    """As the core's `prefetch` of 20 pages, by its definition."""

    def on_handover(self, view: PagingView) -> list[int]:
        """Choose those that were accessed most often."""
        most = sorted(view.pages, key=lambda it: (-it.uses, it.number))
        return [it.number for it in most[:20]]


def test_a_paging_policy_in_python_gives_what_the_same_gives_in_the_core(tmp_path: Path) -> None:
    file = scenario(tmp_path, TRAIL)
    core = windtunnel.run(file, settings={PAGING: {"kind": "prefetch", "pages": 20}})
    own = windtunnel.run(file, settings={PAGING: "mine"}, extensions={"mine": Popular})
    assert core["sessions"]["faults"].item() > 0
    for table in ("sessions", "session_stages", "session_nodes"):
        assert own[table].equals(core[table])


def test_a_paging_policy_sees_the_pages_that_exist(tmp_path: Path) -> None:
    seen: list[tuple[PagingView, int]] = []

    class Watching(PagingPolicy):
        def on_fault(self, view: PagingView, page: int) -> list[int]:
            seen.append((view, page))
            return []

    file = scenario(tmp_path, TRAIL)
    results = windtunnel.run(file, settings={PAGING: "mine"}, extensions={"mine": Watching})
    assert len(seen) == results["sessions"]["faults"].item()
    for view, number in seen:
        [page] = [it for it in view.pages if it.number == number]
        assert not page.is_here and page.held_since < view.stage and page.bytes == 4096
        assert page.last_used == view.stage and page.uses > 1 and view.entries == 200


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([200], "paging policy `mine`: on_handover: there is no page 200; there are 200, counted"),
        ("all", "paging policy `mine`: on_handover: "),
        (None, "paging policy `mine`: on_handover: "),
        ([-1], "paging policy `mine`: on_handover: "),
    ],
)
def test_a_wrong_answer_of_a_paging_policy_ends_the_run_with_a_message(
    tmp_path: Path, answer: Any, message: str
) -> None:
    class Wrong(PagingPolicy):
        def on_handover(self, view: PagingView) -> Any:
            return answer

    file = scenario(tmp_path, TRAIL)
    with pytest.raises(ExtensionError, match=re.escape(message)):
        windtunnel.run(file, settings={PAGING: "mine"}, extensions={"mine": Wrong})


# -- Rules --------------------------------------------------------------------


class Mpc(BitrateRule):
    """As the core's `mpc` with a horizon of 3, by its definition."""

    def __init__(self, ladder: Ladder, maximum_buffer_s: float) -> None:
        """Start without a download."""
        super().__init__(ladder, maximum_buffer_s)
        self.throughputs: list[float] = []
        self.last = 0

    def choose(self, situation: Situation) -> int:
        """Choose the first level of the best sequence."""
        if not self.throughputs:
            return 0
        past = self.throughputs[-5:]
        rate = len(past) / sum(1.0 / it for it in past)
        ladder, bitrates = self.ladder, self.ladder.bitrates_bps
        ahead = min(3, ladder.segments - situation.segment)
        best = (-np.inf, 0)
        for levels in product(range(len(bitrates)), repeat=ahead):
            quality, buffer, last = 0.0, situation.buffer_s, self.last
            for number, level in enumerate(levels, situation.segment):
                time = ladder.size(number, level) * 8.0 / rate
                quality += (bitrates[level] - abs(bitrates[level] - bitrates[last])) / 1e6
                quality -= 4.3 * max(time - buffer, 0.0)
                buffer = max(buffer - time, 0.0) + ladder.segment_s
                last = level
            # A hair, so that rounding does not decide between equals.
            best = max(best, (round(quality, 9), levels[0]))
        return best[1]

    def on_download(self, download: Download) -> None:
        """Remember the throughput."""
        self.throughputs.append(download.size * 8.0 / download.time_s)
        self.last = download.level


def test_a_rule_in_python_gives_what_the_same_gives_in_the_core(tmp_path: Path) -> None:
    file = scenario(tmp_path, VIDEO)
    core = windtunnel.run(file, settings=SLOWER)
    assert core["video_segments"]["level"].n_unique() > 2
    own = windtunnel.run(file, settings={**SLOWER, RULE: "mine"}, extensions={"mine": Mpc})
    assert own["players"]["player_rule"].to_list() == ["mine"]
    for table in ("video_segments", "playback_series", "flow_series"):
        assert own[table].equals(core[table])


def test_a_rule_may_wait_before_it_asks(tmp_path: Path) -> None:
    class Slow(BitrateRule):
        def choose(self, situation: Situation) -> tuple[int, float]:
            return 0, 0.5

    file = scenario(tmp_path, VIDEO)
    results = windtunnel.run(file, settings={RULE: "mine"}, extensions={"mine": Slow})
    segments = results["video_segments"]
    waits = segments["start_s"] - (segments["start_s"] + segments["completion_s"]).shift(1)
    assert minimum(waits) == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (4, "rule `mine`: choose: there is no level 4; there are 4, counted from 0"),
        ((0, -1.0), "rule `mine`: choose: the delay is -1 s"),
        (None, "rule `mine`: choose: "),
    ],
)
def test_a_wrong_answer_of_a_rule_ends_the_run_with_a_message(
    tmp_path: Path, answer: Any, message: str
) -> None:
    class Wrong(BitrateRule):
        def choose(self, situation: Situation) -> Any:
            return answer

    with pytest.raises(ExtensionError, match=re.escape(message)):
        windtunnel.run(
            scenario(tmp_path, VIDEO), settings={RULE: "mine"}, extensions={"mine": Wrong}
        )


def test_what_is_no_extension_or_has_a_taken_name_is_refused(tmp_path: Path) -> None:
    file = scenario(tmp_path, VIDEO)
    wrong: Any = {"mine": int}
    with pytest.raises(TypeError, match="extension `mine` is not a subclass of windtunnel"):
        windtunnel.run(file, extensions=wrong)
    with pytest.raises(windtunnel.ScenarioError, match="there is a rule `mpc` already"):
        windtunnel.run(file, extensions={"mpc": Mpc})
    with pytest.raises(windtunnel.ScenarioError, match="there is a scheduler `ecf` already"):
        windtunnel.run(file, extensions={"ecf": LowestRtt})
    with pytest.raises(windtunnel.ScenarioError, match="there is no rule `mime`"):
        windtunnel.run(file, settings={RULE: "mime"}, extensions={"mine": Mpc})


# -- The environment ----------------------------------------------------------


def play(environment: VideoEnvironment, level: int, **options: Any) -> tuple[float, bool, bool]:
    """Play an episode at one level; give the sum of rewards, and how it ended."""
    environment.reset(seed=1, options=options)
    total = 0.0
    for _ in range(1000):
        _, reward, terminated, truncated, _ = environment.step(np.int64(level))
        total += reward
        if terminated or truncated:
            return total, terminated, truncated
    raise AssertionError("the episode has no end")


@pytest.mark.filterwarnings("error::UserWarning")
def test_gymnasiums_own_checker_finds_nothing() -> None:
    name = "windtunnel.environments:windtunnel/Video-v0"
    environment = gymnasium.make(name, scenario=ROOT / "scenarios" / "video.toml")
    check_env(environment.unwrapped)


def test_rewards_are_the_experience_that_the_table_has(tmp_path: Path) -> None:
    file = scenario(tmp_path, VIDEO)
    player = windtunnel.run(file, settings=SLOWER)["players"]
    segments = player["video_segments"][0]
    assert player["played_s"].to_list() == [40.0]
    environment = VideoEnvironment(file, settings=SLOWER)
    total, terminated, truncated = play(environment, 0, own=True)
    assert (terminated, truncated, segments) == (True, False, 20)
    assert total == pytest.approx(player["experience"][0] * segments, rel=1e-9)


def test_an_agent_gets_what_a_rule_with_its_choices_gets(tmp_path: Path) -> None:
    class Constant(BitrateRule):
        def choose(self, situation: Situation) -> int:
            return 3

    file = scenario(tmp_path, VIDEO)
    settings = {**SLOWER, RULE: "mine"}
    results = windtunnel.run(file, settings=settings, extensions={"mine": Constant})
    environment = VideoEnvironment(file, settings=SLOWER)
    play(environment, 3)
    for it, row in zip(
        environment.history.steps, results["video_segments"].iter_rows(named=True), strict=True
    ):
        assert (it.level, it.size) == (3, row["size_bytes"])
        assert it.download_s == pytest.approx(row["completion_s"], rel=1e-9)
        assert it.stalled_s == pytest.approx(row["stalled_s"], abs=1e-9)
    assert sum(it.stalled_s for it in environment.history.steps) > 0


def test_an_episode_may_be_left_and_ends_with_the_scenario(tmp_path: Path) -> None:
    file = scenario(tmp_path, VIDEO)
    environment = VideoEnvironment(file, settings={"duration": "5 s"})
    environment.reset(seed=1)
    environment.step(np.int64(0))
    assert play(environment, 0)[1:] == (False, True)
    with pytest.raises(ValueError, match="reset first"):
        environment.step(np.int64(0))


def test_a_flow_without_an_adaptive_video_has_no_environment(tmp_path: Path) -> None:
    file = scenario(tmp_path, PATHS)
    with pytest.raises(windtunnel.ScenarioError, match="no flow with an adaptive video"):
        VideoEnvironment(file)
    with pytest.raises(windtunnel.ScenarioError, match="no flow `w` that has an adaptive video"):
        VideoEnvironment(scenario(tmp_path, VIDEO), flow="w")


@pytest.mark.parametrize("page", ["multipath.md", "video.md"])
def test_the_examples_of_the_pages_run(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(compile(code, page, "exec"), {"pl": pl})
    assert capsys.readouterr().out
