"""What make builds, played without a compiler: a maturin that only writes down its arguments."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOOLS = ("cat", "echo", "env", "find", "make", "mkdir", "rm", "sh", "touch", "uname")
NEEDS = ("clang", "libelf-dev", "pkg-config", "zlib1g-dev")
"""What controllers in the kernel are built with, by Debian's names."""


class Checkout:
    """A checkout whose environment is there, on a machine that has only what it was given."""

    def __init__(self, root: Path) -> None:
        """Lay it out without any of the needs."""
        self.root = root
        self.tools = root / "tools"
        shutil.copy(ROOT / "Makefile", root)
        for name in ("requirements.txt", "pyproject.toml", "Cargo.toml", "Cargo.lock"):
            (root / name).touch()
        (root / "rust-toolchain.toml").touch()
        (root / "crates").mkdir()
        (root / ".venv" / "bin").mkdir(parents=True)
        (root / ".venv" / "environment.stamp").touch()
        self.tools.mkdir()
        for tool in TOOLS:
            (self.tools / tool).symlink_to(str(shutil.which(tool)))
        program(root / ".venv" / "bin" / "maturin", 'echo "$@" >> built')

    def install(self, *needs: str) -> None:
        """Install some of the needs; `pkg-config --exists` knows which libraries there are."""
        for need in needs:
            program(self.tools / need, "")
        if "pkg-config" in needs:
            known = 'case "$2" in zlib) of=zlib1g-dev;; libelf) of=libelf-dev;; esac'
            program(self.tools / "pkg-config", f'{known}; test -e "{self.tools}/$of"')

    def make(self, core: str = ".venv/core.stamp") -> tuple[list[str], str]:
        """Build a core: how maturin was called, and what make printed."""
        built = self.root / "built"
        built.unlink(missing_ok=True)
        ran = self.run(core)
        assert ran.returncode == 0, ran.stderr
        return built.read_text().splitlines() if built.exists() else [], ran.stdout

    def dry_run(self, target: str) -> str:
        """What make would do."""
        ran = self.try_to(target)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def try_to(self, target: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Ask make what it would do, where that may be an error."""
        return self.run("--dry-run", target, **environment)

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Call make."""
        return subprocess.run(
            ["make", *arguments],
            cwd=self.root,
            env={"PATH": str(self.tools), **environment},
            capture_output=True,
            text=True,
        )


def program(path: Path, command: str) -> None:
    """Write a program of the shell."""
    path.write_text(f"#!/bin/sh\n{command}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A checkout that was never built."""
    return Checkout(tmp_path)


def test_with_all_that_the_kernel_part_needs_it_is_built_without_a_word(checkout: Checkout) -> None:
    checkout.install(*NEEDS)
    [arguments], printed = checkout.make()
    assert "--features kernel" in arguments
    assert "kernel" not in printed.splitlines()[-1]


@pytest.mark.parametrize("missing", ["clang", "libelf-dev", "zlib1g-dev"])
def test_the_last_line_of_a_build_says_what_the_kernel_part_lacks(
    checkout: Checkout, missing: str
) -> None:
    checkout.install(*(need for need in NEEDS if need != missing))
    [arguments], printed = checkout.make()
    assert "kernel" not in arguments
    last = printed.splitlines()[-1]
    assert "without controllers in the Linux kernel" in last
    assert [need for need in NEEDS if need in last] == [missing]


def test_a_core_is_built_again_when_what_it_lacked_is_installed_or_removed(
    checkout: Checkout,
) -> None:
    checkout.make()
    assert checkout.make()[0] == []
    checkout.install(*NEEDS)
    [arguments], _ = checkout.make()
    assert "--features kernel" in arguments
    assert checkout.make()[0] == []
    (checkout.tools / "clang").unlink()
    [arguments], _ = checkout.make()
    assert "kernel" not in arguments


def test_elsewhere_than_on_linux_a_wheel_is_made_for_this_machine_and_without_zig(
    checkout: Checkout,
) -> None:
    (checkout.tools / "uname").unlink()
    program(checkout.tools / "uname", "echo Darwin")
    program(checkout.tools / "rustc", "echo aarch64-apple-darwin")
    printed = checkout.dry_run("dist")
    assert "--target $target" in printed and "for target in aarch64-apple-darwin;" in printed
    assert "zig" not in printed and "manylinux" not in printed


def test_on_linux_wheels_are_made_for_both_processors_and_an_old_glibc(checkout: Checkout) -> None:
    printed = checkout.dry_run("dist")
    assert "for target in x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu;" in printed
    assert "--zig --compatibility manylinux_2_17" in printed


def test_a_demo_builds_the_core_that_takes_least_unless_the_fastest_is_there(
    checkout: Checkout,
) -> None:
    assert "--profile quick" in checkout.dry_run("demo")
    checkout.make()
    assert "maturin" not in checkout.dry_run("demo")
    (checkout.root / "crates" / "new.rs").touch()
    assert "--release" in checkout.dry_run("demo")


def test_one_core_is_installed_at_a_time(checkout: Checkout) -> None:
    checkout.make()
    checkout.make(".venv/quick-core.stamp")
    assert [it.name for it in checkout.root.glob(".venv/*core.stamp")] == ["quick-core.stamp"]
    [arguments], _ = checkout.make()
    assert "--release" in arguments


def test_where_all_tests_are_required_the_kernel_part_is_not_left_out(checkout: Checkout) -> None:
    checkout.install("clang", "pkg-config", "libelf-dev")
    assert checkout.try_to("test-rust").returncode == 0
    refused = checkout.try_to("test-rust", WINDTUNNEL_REQUIRE_ALL="1")
    assert refused.returncode == 2
    assert "zlib1g-dev" in refused.stderr
    checkout.install("zlib1g-dev")
    assert checkout.try_to("test-rust", WINDTUNNEL_REQUIRE_ALL="1").returncode == 0


@pytest.mark.parametrize(
    ("target", "is_development"),
    [("demo", False), ("core", False), ("ruff", True), ("test-python", True), ("book", True)],
)
def test_what_only_development_needs_is_installed_only_for_it(
    checkout: Checkout, target: str, is_development: bool
) -> None:
    assert ("--requirement requirements.txt" in checkout.dry_run(target)) == is_development
