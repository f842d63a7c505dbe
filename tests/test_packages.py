"""What users install: one version, whole packages, and an image made from what is there."""

from __future__ import annotations

import importlib.metadata
import re
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from windtunnel import _core

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "packaging"))

from check_packages import check_contents  # noqa: E402

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_there_is_one_version() -> None:
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.findall(r"^## (\S+)", changelog, re.MULTILINE)[0]
    versions = {_core.__version__, importlib.metadata.version("windtunnel"), newest}
    assert versions == {workspace["package"]["version"]}
    for manifest in ROOT.glob("crates/*/Cargo.toml"):
        package = tomllib.loads(manifest.read_text(encoding="utf-8"))["package"]
        assert package["version"] == {"workspace": True}, manifest


def test_a_wheel_without_the_papers_is_not_whole(tmp_path: Path) -> None:
    wheel = tmp_path / "windtunnel-0.1.0-cp311-abi3-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in ("_core.abi3.so", "py.typed", "data/scenarios/home.toml"):
            archive.writestr(f"windtunnel/{name}", "")
    with pytest.raises(AssertionError, match=r"paper\.toml"):
        check_contents(wheel)


def test_the_image_is_built_with_the_toolchain_of_the_repository() -> None:
    toolchain = tomllib.loads((ROOT / "rust-toolchain.toml").read_text(encoding="utf-8"))
    [release] = re.findall(r"^FROM rust:([\d.]+)-", DOCKERFILE, re.MULTILINE)
    assert toolchain["toolchain"]["channel"] in (release, f"{release}.0")


def test_what_the_image_is_made_from_is_there_and_is_not_ignored() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    kept = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    copied = re.findall(r"^COPY (?!--from)(\S+) ", DOCKERFILE, re.MULTILINE)
    of_package = {
        link.resolve().relative_to(ROOT).as_posix()
        for link in (ROOT / "python" / "windtunnel" / "data").iterdir()
        if link.is_symlink()
    }
    manifests = {"Cargo.toml", "Cargo.lock", "pyproject.toml", "crates", "python"}
    for name in {*copied} - {"."} | of_package | manifests:
        assert {name, *map(str, Path(name).parents)} & kept, name
    assert all((ROOT / name).exists() for name in kept)
