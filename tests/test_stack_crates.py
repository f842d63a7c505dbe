"""The page on stacks in Rust: its crate, outside the tree, does what the class in Python does."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

import pages
from test_stack_libraries import in_python, of
from windtunnel import Plugin
from windtunnel.extensions import load

PAGE = pages.text("stacks/rust.md")
FILES = {it.name: it.text for it in pages.steps(PAGE) if isinstance(it, pages.File)}


def built(crate: Path, source: str) -> Path:
    """Build the page's crate, with the workspace's own in place of that on the net."""
    here = f'path = "{pages.ROOT / "crates" / "stack"}"'
    manifest, replaced = re.subn(r'git = "[^"]+"', here, FILES["Cargo.toml"])
    assert replaced == 1
    (crate / "src").mkdir(exist_ok=True)
    (crate / "Cargo.toml").write_text(manifest, encoding="utf-8")
    (crate / "src" / "lib.rs").write_text(source, encoding="utf-8")
    command = ["cargo", "build", "--offline"]
    done = subprocess.run(
        command,
        cwd=crate,
        env={**os.environ, "CARGO_TARGET_DIR": str(crate / "target")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    folder = crate / "target" / "debug"
    [found] = [*folder.glob("libmine.so"), *folder.glob("*mine.dylib")]
    return found


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the page's crate."""
    return built(tmp_path_factory.mktemp("mine"), FILES["src/lib.rs"])


@pytest.mark.parametrize("own_process", [False, True])
def test_the_crate_does_what_the_class_does(library: Path, own_process: bool) -> None:
    [(name, _)] = load([str(library)]).items()
    assert name == "stop-and-wait"
    classes = in_python(), Plugin(library, own_process=own_process)
    first, second = (of(it, **{"links.path.loss": "5 %"}) for it in classes)
    for table in ("flows", "flow_series", "transfers", "links", "link_series"):
        assert first[table].equals(second[table]), table


def test_controllers_secrets_and_panics_are_passed_on(tmp_path: Path) -> None:
    source = FILES["src/lib.rs"].replace('"stop-and-wait", []', '"stop-and-wait", ["one", "two"]')
    source = source.replace(
        "    fn next_wake(&mut self)",
        '    fn secrets(&self) -> String {\n        "LABEL 00 11\\n".to_owned()\n    }\n\n'
        "    fn next_wake(&mut self)",
    )
    source = source.replace(
        "        self.is_closed = true;", '        panic!("it cannot close at {_now:?}");'
    )
    library = Plugin(built(tmp_path, source))
    assert library.controllers == ["one", "two"]
    flows = of(library)["flows"]
    assert flows["flow_controller"].to_list() == ["stop-and-wait's one"]
    said = "stop-and-wait: finish: it panicked: it cannot close at 0ns"
    assert flows["failure"].to_list() == [said]
