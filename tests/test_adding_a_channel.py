"""The page on adding a channel: its kind of link, followed step by step."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from windtunnel import _core
from windtunnel.pictures.units import minimum
from windtunnel.running import run_scenario

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "adding-a-channel.md").read_text(encoding="utf-8")
SECTION = PAGE[PAGE.index("## 4.") :]


def block(language: str) -> str:
    """The code block of the section in a language."""
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", SECTION, re.DOTALL)
    (only,) = found
    return only


def add_after(file: Path, before: str, new: str) -> None:
    """Add lines to a file, after another one."""
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, before + new, 1), encoding="utf-8")


def test_one_file_and_its_lines_make_a_link_that_a_scenario_names(tmp_path: Path) -> None:
    for name in ("Cargo.toml", "Cargo.lock", "rust-toolchain.toml"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "crates", tmp_path / "crates")
    sources = tmp_path / "crates" / "links" / "src"
    (sources / "duty_cycle.rs").write_text(block("rust"), encoding="utf-8")
    listed, module = block("rust,ignore").split("\n\n")
    library = sources / "lib.rs"
    add_after(library, '            "trace" = Trace(trace::TraceKeys),\n', f"{listed}\n")
    add_after(library, "mod course;\n", module)
    (sources.parent / "tests" / "page.rs").write_text(TEST % block("toml"), encoding="utf-8")
    # What others wrote is compiled once, for this test and for the workspace.
    environment = {**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target")}
    for command in (
        ["test", "--package", "windtunnel-links", "--test", "page", "--test", "opportunities"],
        ["check", "--package", "windtunnel-scenario"],
    ):
        ran = subprocess.run(
            ["cargo", command[0], "--locked", *command[1:]],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr


TEST = """//! The keys of the page's scenario are read, and the link sends in its share of the time.

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


def test_the_scenario_runs_with_a_link_that_is_there() -> None:
    there = re.sub("duty_cycle = .*", 'rate = "10 Mbps"', block("toml"))
    results = run_scenario(_core.Scenario("page", there, [("duration", "1 s")]))
    assert minimum(results["flows"]["received_bytes"]) > 0
