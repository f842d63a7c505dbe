"""The page on adding a queue, followed step by step."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from windtunnel import _core
from windtunnel.running import run_scenario

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "adding-a-queue.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The page's code blocks in a language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def add_after(file: Path, before: str, new: str) -> None:
    """Add lines to a file, after another one."""
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, before + new, 1), encoding="utf-8")


def lines(pattern: str, block: str) -> str:
    """Those lines of a block that begin like this."""
    found = re.findall(rf"^{pattern}.*\n", block, re.MULTILINE)
    assert found, f"no line is like {pattern}"
    return "".join(found)


def test_one_file_and_its_lines_make_a_queue_that_passes_every_test(tmp_path: Path) -> None:
    for name in ("Cargo.toml", "Cargo.lock", "rust-toolchain.toml"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "crates", tmp_path / "crates")
    queues = tmp_path / "crates" / "queues"
    (file,) = blocks("rust")
    (queues / "src" / "threshold.rs").write_text(file, encoding="utf-8")
    listed, tested = blocks("rust,ignore")
    library = queues / "src" / "lib.rs"
    add_after(library, "            on_arrival {\n", lines(r" +(?:///|\w+::)", listed))
    add_after(library, "mod strict_priority;\n", lines("mod ", listed))
    add_after(
        library,
        "pub use strict_priority::{Bands, StrictPriority};\n",
        lines("pub use ", listed),
    )
    laws = queues / "tests" / "laws" / "ecn.rs"
    add_after(laws, "    vec![\n", lines(r"        \(", tested))
    # What others wrote is compiled once, for this test and for the workspace.
    environment = {**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target")}
    for command in (
        ["test", "--package", "windtunnel-queues"],
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


def test_the_scenario_runs_with_a_queue_that_is_there() -> None:
    (scenario,) = blocks("toml")
    step = 'kind = "red", minimum_threshold = "30 kB", maximum_threshold = "30 kB", action = "mark"'
    there = scenario.replace('kind = "threshold", threshold = "30 kB"', step)
    results = run_scenario(_core.Scenario("page", there, [("duration", "100 ms")]))
    assert results["links"]["marks"].sum() > 0
