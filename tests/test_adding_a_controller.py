"""The page on adding a controller, followed step by step."""

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
PAGE = (ROOT / "docs" / "adding-a-controller.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    """The page's first code block in a language."""
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found, f"the page has no {language}"
    return found.group(1)


def add_after(file: Path, before: str, new: str) -> None:
    """Add a line to a file, after another one."""
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, before + new), encoding="utf-8")


def test_one_file_and_two_lines_make_a_controller_that_passes_every_test(tmp_path: Path) -> None:
    for name in ("Cargo.toml", "Cargo.lock", "rust-toolchain.toml"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "crates", tmp_path / "crates")
    sources = tmp_path / "crates" / "controllers" / "src"
    (sources / "gentle.rs").write_text(block("rust"), encoding="utf-8")
    (module,) = re.findall(r"^mod \w+;\n", block("rust,ignore"), re.MULTILINE)
    (line,) = re.findall(r"^ +(\w+::\w+ = \d+),$", block("rust,ignore"), re.MULTILINE)
    add_after(sources / "lib.rs", "mod base_delay;\n", module)
    add_after(sources / "lib.rs", "        $make! {\n", f"            {line},\n")
    command = ["cargo", "test", "--locked", "--package", "windtunnel-controllers"]
    # What others wrote is compiled once, for this test and for the workspace.
    environment = {**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target")}
    tested = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert tested.returncode == 0, tested.stdout + tested.stderr


def test_the_scenario_runs_with_a_controller_that_is_there() -> None:
    scenario = block("toml").replace('kind = "gentle", kept', 'kind = "aimd", beta')
    results = run_scenario(_core.Scenario("page", scenario, [("duration", "2 s")]))
    assert minimum(results["flows"]["received_bytes"]) > 0
