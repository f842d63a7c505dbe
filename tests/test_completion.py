"""Completion, as bash asks for it: with the script that `--show-completion` prints."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import windtunnel
from conftest import SCENARIO
from windtunnel import recipes
from windtunnel.package_data import PAPERS
from windtunnel.results import Results

ROOT = Path(__file__).parents[1]
PROGRAM = Path(sys.executable).parent / "windtunnel"


def bash(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script in bash, with a home of its own."""
    environment = {
        **os.environ,
        "HOME": str(folder),
        "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}",
        "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",
    }
    return subprocess.run(
        ["bash", "--norc", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


def completed(folder: Path, *words: str) -> list[str]:
    """Give what bash would offer for the last of the words."""
    listed = " ".join(f"'{it}'" for it in ("windtunnel", *words))
    ended = bash(
        f"""eval "$(windtunnel --show-completion bash)"
        COMP_WORDS=({listed}); COMP_CWORD={len(words)}
        _windtunnel_completion windtunnel; printf '%s\\n' "${{COMPREPLY[@]}}" """,
        folder,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout.split()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a scenario, a study, a file that is no TOML, and a folder of results."""
    (tmp_path / "mine.toml").write_text(SCENARIO)
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "mine-too.toml").write_text(SCENARIO)
    (tmp_path / "mine-study.toml").write_text('scenario = "mine.toml"\n[vary.x]\n')
    (tmp_path / "mine-broken.toml").write_text("[")
    (tmp_path / "results" / "mine").mkdir(parents=True)
    (tmp_path / "results" / "mine" / "manifest.json").write_text("{}")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["com"], ["compare"]),
        (["run", "mi"], ["mine.toml"]),
        (["run", ""], ["mine.toml", "more/mine-too.toml"]),
        (["study", "mi"], ["mine-study.toml"]),
        (["check", "mi"], ["mine-study.toml", "mine.toml"]),
        (["run", "mine.toml", "--pcap", ""], ["consumer", "producer"]),
        (["run", "mine.toml", "--pcap", "p"], ["producer"]),
        (["run", "mine-broken.toml", "--pcap", ""], []),
        (["run", "mine.toml", "--wat"], ["--watch"]),
        (["report", "res"], ["results/mine"]),
        (["compare", "results/mine", "r"], ["results/mine"]),
        (["list", "contr"], ["controllers"]),
        (["list", "cub"], ["cubic"]),
        (["reproduce", ""], sorted(it.name for it in PAPERS.iterdir() if it.is_dir())),
        (["bench", "ndn-ch"], ["ndn-chain"]),
        (["new", ""], sorted([*recipes.titles(), "paper"])),
        (["new", "buf"], ["bufferbloat"]),
    ],
    ids=" ".join,
)
def test_the_shell_offers(folder: Path, words: list[str], offered: list[str]) -> None:
    assert sorted(completed(folder, *words)) == offered


def test_a_session_offers_the_tables_of_results_and_what_the_package_has() -> None:
    tables = {"flows": pl.DataFrame(), "flow_series": pl.DataFrame()}
    assert Results([], tables)._ipython_key_completions_() == ["flows", "flow_series"]
    assert Results([], {})._ipython_key_completions_() == []
    assert dir(windtunnel) == sorted(windtunnel.__all__)
    assert {"run", "study", "Results", "Scenario", "Controller"} <= set(dir(windtunnel))
    assert all(hasattr(windtunnel, it) for it in dir(windtunnel))


def test_it_is_installed_for_a_shell(folder: Path) -> None:
    installed = bash("windtunnel --install-completion bash", folder)
    assert installed.returncode == 0, installed.stderr
    assert "_windtunnel_completion" in (folder / ".bash_completions/windtunnel.sh").read_text()
    assert ".bash_completions/windtunnel.sh" in (folder / ".bashrc").read_text()
