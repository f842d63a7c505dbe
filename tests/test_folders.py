"""Folders of results: only what Windtunnel wrote is replaced, and all of it or nothing."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from conftest import SCENARIO, Command
from windtunnel import Results, run
from windtunnel.folders import (
    MANIFEST,
    VERSION_KEY,
    WRITTEN,
    put_report,
    read_manifest,
    write_manifest,
    written_whole,
)

OLD = {"table": "old", "only-old": "old", "captures/deep/one": "old", "a/b": "old"}
NEW = {"table": "new", "only-new": "new", "captures/deep/two": "new", "a/b": "new"}
NOTES = {"notes.md": "mine", "captures/mine.txt": "mine", "plots/mine.svg": "mine"}


def put(folder: Path, files: dict[str, str]) -> None:
    """Write files into a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def save(folder: Path, files: dict[str, str]) -> None:
    """Save files as results."""
    with written_whole(folder) as written:
        put(written, files)
        write_manifest(written, {VERSION_KEY: "1"})


def tree(folder: Path) -> dict[str, str]:
    """Read all files in a folder, and the names of all folders."""
    return {
        path.relative_to(folder).as_posix(): "" if path.is_dir() else path.read_text("utf-8")
        for path in folder.rglob("*")
    }


def files(folder: Path) -> dict[str, str]:
    """Read all files in a folder but the manifest."""
    return {
        name: text
        for name, text in tree(folder).items()
        if (folder / name).is_file() and name != MANIFEST
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Save old results, and put files of the user beside them."""
    save(tmp_path / "results", OLD)
    put(tmp_path / "results", NOTES)
    return tmp_path / "results"


def test_a_rerun_replaces_what_was_written_and_nothing_else(folder: Path) -> None:
    save(folder, NEW)
    assert files(folder) == {**NEW, **NOTES}
    assert read_manifest(folder) == {VERSION_KEY: "1"}
    assert not (folder / "captures/deep/one").exists()
    assert [it.name for it in folder.parent.iterdir()] == ["results"]


def test_a_folder_that_nothing_is_left_in_is_removed(folder: Path) -> None:
    save(folder, {"table": "new"})
    assert not (folder / "a").exists()
    assert not (folder / "captures/deep").exists()


def test_a_file_that_has_the_name_of_a_new_one_is_renamed(folder: Path, tmp_path: Path) -> None:
    (elsewhere := tmp_path / "elsewhere").mkdir()
    put(folder, {"only-new": "mine", "only-new~": "mine too", "second": "mine"})
    (folder / "linked").symlink_to(elsewhere)
    save(folder, {**NEW, "second/table": "new", "linked/table": "new"})
    assert (folder / "only-new").read_text() == "new"
    assert (folder / "only-new~").read_text() == "mine too"
    assert (folder / "only-new~~").read_text() == "mine"
    assert (folder / "second~").read_text() == "mine"
    assert (folder / "linked~").readlink() == elsewhere
    assert list(elsewhere.iterdir()) == []


def count_of_moves(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> int:
    """Count how often a replacement renames a file."""
    save(tmp_path / "counted", OLD)
    moves = 0

    def counted() -> None:
        nonlocal moves
        moves += 1

    with monkeypatch.context() as patch:
        before_each_move(patch, counted)
        save(tmp_path / "counted", NEW)
    return moves


def before_each_move(monkeypatch: pytest.MonkeyPatch, call: Callable[[], None]) -> None:
    """Call a function before each renaming of a path."""
    for name in ("rename", "replace"):
        moved: Callable[[Path, Path], Path] = getattr(Path, name)

        def move(path: Path, place: Path, moved: Callable[[Path, Path], Path] = moved) -> Path:
            call()
            return moved(path, place)

        monkeypatch.setattr(Path, name, move)


def throw(error: type[BaseException]) -> None:
    """Raise an error."""
    raise error


def at_move(last: int, act: Callable[[], object]) -> Callable[[], None]:
    """Give a function that acts in its call number `last`, from 0."""
    calls = count()

    def call() -> None:
        if next(calls) == last:
            act()

    return call


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_an_interruption_at_any_moment_changes_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    moves = count_of_moves(monkeypatch, tmp_path)
    assert moves == len(OLD) + len(NEW) + 2
    before = tree(folder)
    for last in range(moves):
        with monkeypatch.context() as patch, pytest.raises(error):
            before_each_move(patch, at_move(last, lambda: throw(error)))
            save(folder, NEW)
        assert tree(folder) == before, last
        assert {it.name for it in folder.parent.iterdir()} == {"results", "counted"}


def test_a_kill_at_any_moment_leaves_old_or_new_results_or_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moves = count_of_moves(monkeypatch, tmp_path)
    noticed = 0
    for last in range(moves):
        save(folder := tmp_path / str(last), OLD)
        put(folder, NOTES)
        if not (child := os.fork()):
            before_each_move(monkeypatch, at_move(last, lambda: os._exit(9)))
            save(folder, NEW)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
        try:
            read_manifest(folder)
        except ValueError as error:
            assert "when the process was killed; run it again" in str(error)
            noticed += 1
        else:
            assert files(folder) == {**OLD, **NOTES}
        save(folder, NEW)
        assert files(folder) == {**NEW, **NOTES}
    assert noticed == moves - 1


def test_a_changed_manifest_removes_nothing_outside_and_no_folder(tmp_path: Path) -> None:
    draws = random.Random(7)
    parts = ["..", ".", "", "/", "results", "outside", "precious", "link", "loop", "plots", "\0"]
    parts += [MANIFEST, "x" * 300, "\ud800", str(tmp_path), "notes.md"]
    put(
        tmp_path / "outside",
        {"precious": "kept", MANIFEST: '{"windtunnel": 1, "written": ["precious"]}'},
    )
    put(tmp_path, {"precious": "kept"})
    folder = tmp_path / "results"
    save(folder, OLD)
    put(folder, {"plots/precious": "kept"})
    (folder / "link").symlink_to(tmp_path / "outside")
    (folder / "loop").symlink_to(folder)
    kept = {"outside/precious", f"outside/{MANIFEST}", "precious", "results/plots/precious"}
    before = {name: (tmp_path / name).read_text() for name in kept}
    for _ in range(200):
        names: list[object] = [
            "/".join(draws.choices(parts, k=draws.randint(1, 5))) for _ in range(20)
        ]
        names = [it for it in names if Path(str(it)) != Path("plots/precious")]
        manifest = json.loads((folder / MANIFEST).read_text())
        manifest[WRITTEN] += [*names, 5, None, "plots", str(tmp_path / "precious")]
        (folder / MANIFEST).write_text(json.dumps(manifest))
        save(folder, NEW)
        assert {name: (tmp_path / name).read_text() for name in kept} == before
        assert (folder / "link").is_symlink() and (folder / "loop").is_symlink()


@pytest.mark.parametrize("names", [5, None, {"a": 1}, "abc"])
def test_names_that_are_no_list_remove_nothing(folder: Path, names: object) -> None:
    (folder / MANIFEST).write_text(json.dumps({VERSION_KEY: "1", WRITTEN: names}))
    save(folder, {"fresh": "new"})
    assert files(folder) == {**OLD, **NOTES, "fresh": "new"}


def test_folders_of_results_in_a_folder_are_replaced_with_their_reports(tmp_path: Path) -> None:
    folder = tmp_path / "paper"
    with written_whole(folder) as written:
        save(written / "first", OLD)
        write_manifest(written, {VERSION_KEY: "1"})
    put(tmp_path / "new", {"report.html": "page", "figures/one.svg": "drawn"})
    put_report(folder / "first", tmp_path / "new")
    put(folder, {"first/notes.md": "mine"})
    with written_whole(folder) as written:
        save(written / "second", NEW)
        write_manifest(written, {VERSION_KEY: "1"})
    assert {name for name in files(folder) if name.startswith("first/")} == {"first/notes.md"}


def test_a_new_report_replaces_the_earlier_one_and_no_other_figure(folder: Path) -> None:
    for page in ({"report.html": "1", "figures/one.svg": "1"}, {"report.html": "2"}):
        put(new := folder.parent / "new", page)
        put_report(folder, new)
        shutil.rmtree(new)
        put(folder, {"figures/mine.svg": "mine"})
    assert files(folder) == {**OLD, **NOTES, "report.html": "2", "figures/mine.svg": "mine"}
    save(folder, NEW)
    assert files(folder) == {**NEW, **NOTES, "figures/mine.svg": "mine"}


# -- What results were made from --------------------------------------------


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Write two scenario files of one name."""
    put(tmp_path, {"a/tcp.toml": SCENARIO, "b/tcp.toml": SCENARIO})
    return tmp_path


def test_a_rerun_keeps_the_users_files_and_says_nothing(two: Path, windtunnel: Command) -> None:
    windtunnel("run", "a/tcp.toml")
    put(two / "results/tcp", {"notes.md": "mine", "mine.parquet": "of another program"})
    again = windtunnel("run", "a/tcp.toml")
    assert (again.returncode, again.stderr) == (0, "")
    assert (two / "results/tcp/notes.md").read_text() == "mine"
    assert "mine" not in Results.load(two / "results/tcp").tables


def test_results_of_another_file_are_not_replaced_by_default(
    two: Path, windtunnel: Command
) -> None:
    windtunnel("run", "a/tcp.toml")
    before = (two / "results/tcp" / MANIFEST).read_bytes()
    # It would take hours: the error comes before the simulation.
    refused = windtunnel("run", "b/tcp.toml", "--set", "duration=20h")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        "windtunnel: results/tcp: holds the results of a/tcp.toml, seed 1\n"
        "help: choose another folder with --out, or replace them with --out results/tcp\n"
    )
    assert (two / "results/tcp" / MANIFEST).read_bytes() == before
    named = windtunnel("run", "b/tcp.toml", "--out", "results/tcp")
    assert named.returncode == 0
    assert named.stderr == "windtunnel: results/tcp: replaces the results of a/tcp.toml, seed 1\n"


def test_results_and_their_scenario_can_move_together(two: Path, windtunnel: Command) -> None:
    windtunnel("run", "tcp.toml", cwd=two / "a")
    (two / "a").rename(two / "moved")
    again = windtunnel("run", "tcp.toml", cwd=two / "moved")
    assert (again.returncode, again.stderr) == (0, "")
    loaded = Results.load(two / "moved/results/tcp")
    assert loaded.manifest["scenario_file"] == str((two / "moved/tcp.toml").resolve())


def test_a_study_and_a_scenario_do_not_replace_each_other(two: Path, windtunnel: Command) -> None:
    put(
        two,
        {
            "tcp.toml": 'scenario = "a/tcp.toml"\n[vary.delay]\npath = "links.wire.delay"\n'
            'values = ["5 ms"]\n'
        },
    )
    windtunnel("run", "a/tcp.toml")
    refused = windtunnel("study", "tcp.toml")
    assert refused.returncode == 2
    assert "results/tcp: holds the results of a/tcp.toml" in refused.stderr
    assert not (two / "results/store").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--seed", "2"], "seed was 1, is 2"),
        (["--set", "runs=1"], "runs was 2, is 1"),
        (["--set", "consumers.viewer.start=1ms"], 'consumers.viewer.start was not set, is "1ms"'),
    ],
)
def test_other_settings_are_said(
    two: Path, windtunnel: Command, arguments: list[str], said: str
) -> None:
    windtunnel("run", "a/tcp.toml")
    again = windtunnel("run", "a/tcp.toml", *arguments)
    replaced = "windtunnel: results/tcp: replaces the results of a/tcp.toml"
    assert (again.returncode, again.stderr) == (0, f"{replaced}: {said}\n")


def test_a_scenario_file_that_was_edited_is_said(two: Path, windtunnel: Command) -> None:
    windtunnel("run", "a/tcp.toml")
    (two / "a/tcp.toml").write_text(SCENARIO.replace("10 Mbps", "9 Mbps") + "# slower\n")
    said = windtunnel("run", "a/tcp.toml").stderr
    assert said.endswith('a/tcp.toml: links.wire.rate was "10 Mbps", is "9 Mbps"\n')
    (two / "a/tcp.toml").write_text(SCENARIO.replace("10 Mbps", "9 Mbps"))
    assert windtunnel("run", "a/tcp.toml").stderr.endswith("a/tcp.toml: the text has changed\n")


def test_a_folder_without_results_is_refused_before_the_run(two: Path, windtunnel: Command) -> None:
    for name in ("results/tcp", "results/tcp-unfinished"):
        put(two / name, {"notes.md": "mine"})
        refused = windtunnel("run", "a/tcp.toml", "--set", "duration=20h")
        assert refused.returncode == 2
        assert "does not hold results; choose another folder" in refused.stderr
        (two / name / "notes.md").unlink()


def test_a_scenario_built_in_python_has_no_file(scenario: Path) -> None:
    from windtunnel import Scenario

    assert run(scenario).manifest["scenario_file"] == str(scenario.resolve())
    built = Scenario.parse(SCENARIO)
    assert run(built).manifest["scenario_file"] is None
