"""The page on adding an application: its workload, followed step by step."""

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
PAGE = (ROOT / "docs" / "adding-an-application.md").read_text(encoding="utf-8")
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


def test_one_file_and_its_lines_make_a_workload_that_a_scenario_names(tmp_path: Path) -> None:
    for name in ("Cargo.toml", "Cargo.lock", "rust-toolchain.toml"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "crates", tmp_path / "crates")
    sources = tmp_path / "crates" / "applications" / "src"
    (sources / "telemetry.rs").write_text(block("rust"), encoding="utf-8")
    listed, module = block("rust,ignore").split("\n\n")
    library = sources / "lib.rs"
    add_after(library, "            Bulk(bulk::BulkKeys),\n", f"{listed}\n")
    add_after(library, "mod sizes;\n", module)
    (sources.parent / "tests" / "page.rs").write_text(TEST % block("toml"), encoding="utf-8")
    # What others wrote is compiled once, for this test and for the workspace.
    environment = {**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target")}
    for command in (
        ["test", "--package", "windtunnel-applications"],
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


TEST = """//! The keys of the page's scenario are read.

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


def test_the_scenario_runs_with_a_workload_that_is_there() -> None:
    there = block("toml").replace(
        'kind = "telemetry", interval = "100 ms"', 'kind = "on-off", on = "10 ms", off = "90 ms"'
    )
    results = run_scenario(_core.Scenario("page", there, [("duration", "1 s")]))
    assert minimum(results["flows"]["received_bytes"]) > 0
