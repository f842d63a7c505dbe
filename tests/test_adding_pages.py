"""The pages on adding a controller, a queue, a workload and a link, followed step by step."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from pages import text
from windtunnel import _core
from windtunnel.pictures.units import minimum
from windtunnel.running import run_scenario

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Steps:
    """What a reader of a page writes."""

    page: str

    def blocks(self, language: str) -> list[str]:
        """The code blocks in a language."""
        return re.findall(rf"```{language}\n(.*?)```", self.page, re.DOTALL)

    def block(self, language: str) -> str:
        """The only code block in a language."""
        (only,) = self.blocks(language)
        return only

    def scenario(self, of_the_page: str, there: str) -> _core.Scenario:
        """The page's scenario, with a kind that is there in place of the page's."""
        (scenario,) = self.blocks("toml")
        assert of_the_page in scenario
        return _core.Scenario("page", scenario.replace(of_the_page, there), [("duration", "2 s")])


def section(page: str) -> str:
    """The section of a page on what is built in."""
    whole = text(page)
    return whole[whole.index("## 4.") :]


CONTROLLER = Steps(text("adding-a-controller.md"))
QUEUE = Steps(text("adding-a-queue.md"))
WORKLOAD = Steps(section("adding-an-application.md"))
LINK = Steps(section("adding-a-channel.md"))


def add_after(file: Path, before: str, new: str) -> None:
    """Add lines to a file, after another one."""
    source = file.read_text(encoding="utf-8")
    assert before in source
    file.write_text(source.replace(before, before + new, 1), encoding="utf-8")


def lines(pattern: str, block: str) -> str:
    """Those lines of a block that begin like this."""
    found = re.findall(rf"^{pattern}.*\n", block, re.MULTILINE)
    assert found, f"no line is like {pattern}"
    return "".join(found)


def add_controller(crate: Path) -> None:
    """Follow the page on controllers."""
    file, *_ = CONTROLLER.blocks("rust")
    (crate / "src" / "gentle.rs").write_text(file, encoding="utf-8")
    listed, *_ = CONTROLLER.blocks("rust,ignore")
    (line,) = re.findall(r"^ +(\w+::\w+ = \d+),$", listed, re.MULTILINE)
    add_after(crate / "src" / "lib.rs", "mod base_delay;\n", lines("mod ", listed))
    add_after(crate / "src" / "lib.rs", "        $make! {\n", f"            {line},\n")


def add_queue(crate: Path) -> None:
    """Follow the page on queues."""
    (crate / "src" / "threshold.rs").write_text(QUEUE.block("rust"), encoding="utf-8")
    listed, tested = QUEUE.blocks("rust,ignore")
    library = crate / "src" / "lib.rs"
    add_after(library, "            on_arrival {\n", lines(r" +(?:///|\w+::)", listed))
    add_after(library, "mod strict_priority;\n", lines("mod ", listed))
    exported = "pub use strict_priority::{Bands, StrictPriority};\n"
    add_after(library, exported, lines("pub use ", listed))
    add_after(crate / "tests" / "laws" / "ecn.rs", "    vec![\n", lines(r"        \(", tested))


def add_workload(crate: Path) -> None:
    """Follow the page on applications, and read the keys of its scenario."""
    (crate / "src" / "telemetry.rs").write_text(WORKLOAD.block("rust"), encoding="utf-8")
    listed, module = WORKLOAD.block("rust,ignore").split("\n\n")
    add_after(crate / "src" / "lib.rs", "            Bulk(bulk::BulkKeys),\n", f"{listed}\n")
    add_after(crate / "src" / "lib.rs", "mod sizes;\n", module)
    test = TEST_OF_WORKLOAD % WORKLOAD.block("toml")
    (crate / "tests" / "page.rs").write_text(test, encoding="utf-8")


def add_link(crate: Path) -> None:
    """Follow the page on channels, and let the link of its scenario send."""
    (crate / "src" / "duty_cycle.rs").write_text(LINK.block("rust"), encoding="utf-8")
    listed, module = LINK.block("rust,ignore").split("\n\n")
    last = '            "trace" = Trace(trace::TraceKeys),\n'
    add_after(crate / "src" / "lib.rs", last, f"{listed}\n")
    add_after(crate / "src" / "lib.rs", "mod course;\n", module)
    test = TEST_OF_LINK % LINK.block("toml")
    (crate / "tests" / "page.rs").write_text(test, encoding="utf-8")


def cargo(folder: Path, *arguments: str) -> None:
    """Call cargo, which must succeed."""
    # What others wrote is compiled once, for this test and for the workspace.
    environment = {**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target")}
    ran = subprocess.run(
        ["cargo", *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_file_and_its_lines_make_each_kind_and_it_passes_the_laws(tmp_path: Path) -> None:
    for name in ("Cargo.toml", "Cargo.lock", "rust-toolchain.toml"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("crates", "scenarios"):
        shutil.copytree(ROOT / name, tmp_path / name)
    add_controller(tmp_path / "crates" / "controllers")
    add_queue(tmp_path / "crates" / "queues")
    add_workload(tmp_path / "crates" / "applications")
    add_link(tmp_path / "crates" / "links")
    # The laws of the kinds of a crate find each by itself; the crates' other tests know none of it.
    laws = [
        f"--package=windtunnel-{it}" for it in ("controllers", "queues", "applications", "links")
    ]
    cargo(tmp_path, "test", "--locked", *laws, "--test=laws", "--test=page")
    cargo(tmp_path, "check", "--locked", "--package=windtunnel-scenario")


TEST_OF_WORKLOAD = """//! The keys of the page's scenario are read.

use windtunnel_applications::WorkloadKeys;
use windtunnel_reading::{reader, tree};

#[test]
fn the_workload_of_the_page_is_read() {
    let file = tree::parse(r#"%s"#).expect("it is TOML");
    let keys = ["flows", "readings", "workload"];
    let workload = keys.iter().fold(&file, |it, key| it.get(key).expect("it has the key"));
    reader::read::<WorkloadKeys>(workload.clone()).expect("it is read");
}
"""

TEST_OF_LINK = """//! The keys of the page are read, and the link sends in its share of the time.

use windtunnel_engine::{Duration, Streams, Time};
use windtunnel_links::{ChannelSetting, LinkKeys};
use windtunnel_reading::files::{Files, Unreadable};
use windtunnel_reading::tree::{Entry, Value};
use windtunnel_reading::{reader, tree};

#[test]
fn the_link_of_the_page_sends_in_its_share_of_the_time() {
    let file = tree::parse(r#"%s"#).expect("it is TOML");
    let mut link = file.get("links").and_then(|it| it.get("radio")).expect("a link").clone();
    let Value::Table(entries) = &mut link.value else { panic!("it is a table") };
    entries.retain(|it: &Entry| it.key == "duty_cycle");
    let keys: LinkKeys = reader::read(link).expect("it is read");
    let none = &mut |_: &str| -> Result<String, Unreadable> { panic!("it names no file") };
    let pace = keys.pace(&mut Files::new(none), Duration::from_secs(2)).expect("it fits");
    let streams = Streams::new(1, 0);
    let setting = ChannelSetting { rates: pace.rates, streams: &streams, link: "radio" };
    let mut channel = pace.channel.expect("it has a channel").channel(setting);
    let (mut now, mut sent) = (Time::ZERO, Duration::ZERO);
    while now < Time::ZERO + Duration::from_secs(2) {
        let state = channel.sample(now);
        let next = state.next.expect("it goes on");
        if state.rates[0].is_some() {
            sent = sent + next.since(now);
        }
        now = next;
    }
    assert_eq!(sent, Duration::from_millis(500));
}
"""

STEP = 'kind = "red", minimum_threshold = "30 kB", maximum_threshold = "30 kB", action = "mark"'


@pytest.mark.parametrize(
    ("steps", "of_the_page", "there"),
    [
        (CONTROLLER, 'kind = "gentle", kept', 'kind = "aimd", beta'),
        (WORKLOAD, 'kind = "telemetry", interval = "100 ms"',
         'kind = "on-off", on = "10 ms", off = "90 ms"'),
        (LINK, re.findall("duty_cycle = .*", LINK.block("toml"))[0], 'rate = "10 Mbps"'),
    ],
    ids=["controller", "workload", "link"],
)  # fmt: skip
def test_the_pages_scenario_runs_with_a_kind_that_is_there(
    steps: Steps, of_the_page: str, there: str
) -> None:
    results = run_scenario(steps.scenario(of_the_page, there))
    assert minimum(results["flows"]["received_bytes"]) > 0


def test_the_scenario_of_the_page_on_queues_marks_with_a_queue_that_is_there() -> None:
    results = run_scenario(QUEUE.scenario('kind = "threshold", threshold = "30 kB"', STEP))
    assert results["links"]["marks"].sum() > 0
