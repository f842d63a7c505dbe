"""Kernels as hosts: a build is whole or nothing, and what was built can be listed and removed."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import Command, needs_kernel
from processes import command_lines
from windtunnel.linux import configuration, first_run, kernels, source, tools
from windtunnel.linux.errors import KernelError
from windtunnel.linux.initramfs import initramfs

MAKEFILE = """\
allnoconfig:
\tcp "$(KCONFIG_ALLCONFIG)" $(O)/.config
linux: $(O)/compiled
\t@sleep $(or $(SECONDS_OF_BUILD),0)
\t@printf '#!/bin/sh\\necho 6.99.0-mine\\n' > $(O)/linux && chmod +x $(O)/linux
$(O)/compiled:
\techo once >> compilations
\ttouch $@
"""
"""Does at once what a kernel's Makefile does: a configuration, a program that says its release."""


PROGRAM = """\
from windtunnel.cli import main
from windtunnel.linux import first_run

first_run.digest = lambda kernel: "not run"
main()
"""
"""The command line, but that what was built is not run: it is no kernel."""


def build(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, "linux", "build", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Give a folder that looks like the source of a kernel."""
    files = {
        "Makefile": MAKEFILE,
        "Kconfig": '# Its head.\nmainmenu "Linux"\n\nsource "net/Kconfig"\n',
        "net/ipv4/Kconfig": "config TCP_CONG_CUBIC\n\tbool\nconfig TCP_CONG_MINE\n\tbool\n",
        "net/sched/Kconfig": "config NET_SCH_FQ\n\tbool\n",
        "arch/um/Makefile": "",
    }
    for name, text in files.items():
        file = tmp_path / "mine" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path / "mine"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give an empty cache, and no switch that the machine's build needs."""
    monkeypatch.setenv("WINDTUNNEL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "linux"


needs_tools = pytest.mark.skipif(
    not all(map(shutil.which, tools.PACKAGES)) or not tools.can_link_static(),
    reason="no tools to build a kernel with",
)


@needs_tools
def test_a_kernel_is_built_listed_and_removed(windtunnel: Command, tree: Path, cache: Path) -> None:
    built = build("--source", tree, "--name", "own", "--json")
    assert built.returncode == 0, built.stderr
    told = json.loads(built.stdout)
    assert (told["name"], told["release"], told["source"]) == ("own", "6.99.0-mine", str(tree))
    folder = Path(told["folder"])
    assert folder == cache / "own"
    assert {it.name for it in folder.iterdir()} == {
        *("linux", "initramfs.cpio", "about.json", "objects")
    }
    for name in ("linux", "initramfs"):
        [file] = folder.glob(f"{name}*")
        assert told[f"{name}_sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    listed = json.loads(windtunnel("linux", "list", "--json").stdout)
    assert listed == {"kernels": [told]}
    assert windtunnel("linux", "remove", "own").stdout == f"removed {folder}\n"
    assert json.loads(windtunnel("linux", "list", "--json").stdout) == {"kernels": []}
    assert not any(cache.iterdir())


@needs_tools
def test_a_tree_is_built_again_and_another_does_not_take_its_name(tree: Path, cache: Path) -> None:
    assert build("--source", tree).returncode == 0
    makefile = tree / "Makefile"
    makefile.write_text(makefile.read_text(encoding="utf-8").replace("mine", "changed"))
    assert "6.99.0-changed" in build("--source", tree).stdout
    assert (tree / "compilations").read_text() == "once\n"
    other = shutil.copytree(tree, tree.parent / "other")
    for refused in (
        build("--source", other, "--name", "mine"),
        build("--name", "mine"),
    ):
        assert refused.returncode == 2
        assert f"`mine` already, 6.99.0-changed, built from {tree}" in refused.stderr
        assert "windtunnel linux remove mine" in refused.stderr
    assert [it.name for it in cache.iterdir()] == ["mine"]


@needs_tools
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_build_leaves_no_half_kernel(
    windtunnel: Command, tree: Path, cache: Path, number: int
) -> None:
    command = [sys.executable, "-c", PROGRAM, "linux", "build", "--source", str(tree)]
    slow = {**os.environ, "SECONDS_OF_BUILD": "31.75"}
    building = subprocess.Popen(command, env=slow, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: is_running(SLEEP))
    second = build("--source", tree)
    assert "another process is building a kernel; wait" in second.stderr
    building.send_signal(number)
    _, said = building.communicate(timeout=30)
    assert json.loads(windtunnel("linux", "list", "--json").stdout) == {"kernels": []}
    if number == signal.SIGINT:
        assert building.returncode == 130
        assert said.endswith("windtunnel: interrupted: nothing was kept\n")
        assert not any(cache.iterdir())
    else:
        # What it started ends when it next says something, which this does not.
        [sleeping] = [process for process, line in command_lines() if SLEEP in line]
        os.kill(sleeping, signal.SIGKILL)
    assert build("--source", tree).returncode == 0
    assert [it.name for it in cache.iterdir()] == ["mine"]


SLEEP = "sleep\x0031.75"


def is_running(words: str) -> bool:
    return any(words in line for _, line in command_lines())


def wait_until(happens: object) -> None:
    limit = time.monotonic() + 20
    while not happens():  # type: ignore[operator]
        assert time.monotonic() < limit
        time.sleep(0.05)


@needs_tools
def test_what_make_says_last_is_told_when_it_fails(tree: Path, cache: Path) -> None:
    with (tree / "Makefile").open("a") as makefile:
        makefile.write("linux: broken\nbroken:\n\t@echo 'mine.c:7: error: no such thing'; false\n")
    failed = build("--source", tree)
    assert failed.returncode == 2
    assert "mine.c:7: error: no such thing" in failed.stderr
    assert not [it for it in cache.iterdir() if it.is_dir()]


def test_a_folder_without_a_kernel_is_refused(tmp_path: Path) -> None:
    refused = build("--source", tmp_path)
    assert refused.returncode == 2
    assert f"{tmp_path} has no Kconfig: it is not the source of a Linux kernel" in refused.stderr


def test_a_tree_that_was_built_in_is_refused(tree: Path) -> None:
    (tree / ".config").touch()
    with pytest.raises(KernelError, match="make mrproper"):
        source.own(tree)


def test_a_kernel_that_was_not_built_cannot_be_removed(windtunnel: Command, cache: Path) -> None:
    refused = windtunnel("linux", "remove", "6.12")
    assert (refused.returncode, "no kernel `6.12`" in refused.stderr) == (2, True)
    for name in ("../results", ".", "a/b", ""):
        assert "cannot be the name of a kernel" in windtunnel("linux", "remove", name).stderr


def test_missing_programs_are_told_by_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None if name in ("cc", "xz") else name)
    with pytest.raises(KernelError, match="apt-get install gcc xz-utils"):
        tools.check_machine()


def test_another_machine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    with pytest.raises(KernelError, match="needs Linux on x86_64; this is Linux on aarch64"):
        tools.check_machine()


def test_a_tree_has_its_own_controllers_and_a_tick_of_4_ms(tree: Path) -> None:
    lines = configuration.wanted(tree).splitlines()
    assert {"CONFIG_TCP_CONG_MINE=y", "CONFIG_NET_SCH_FQ=y", "CONFIG_VIRTIO_UML=y"} <= {*lines}
    kconfig = configuration.with_tick(tree)
    before, _, after = kconfig.partition("config HZ\n\tint\n\tdefault 250\n")
    # `mainmenu` must be the first statement, and other defaults of HZ come after this one.
    assert before.splitlines()[1] == 'mainmenu "Linux"'
    assert 'source "net/Kconfig"' in after


@pytest.mark.skipif(not shutil.which("cpio"), reason="no cpio")
def test_an_archive_is_what_cpio_reads(tmp_path: Path) -> None:
    made = initramfs(b"a program")
    listed = subprocess.run(["cpio", "-itv"], input=made, capture_output=True).stdout.decode()
    kept = {line.split()[-1]: line.split()[0] for line in listed.splitlines()}
    assert kept["init"] == "-rwxr-xr-x"
    assert kept["dev/console"] == "crw-------"
    assert kept["proc"] == kept["dev"] == "drwxr-xr-x"
    unpacked = subprocess.run(["cpio", "-i", "init"], input=made, cwd=tmp_path, capture_output=True)
    assert unpacked.returncode == 0
    assert (tmp_path / "init").read_bytes() == b"a program"


@needs_tools
def test_what_does_not_run_is_not_kept(windtunnel: Command, tree: Path, cache: Path) -> None:
    failed = windtunnel("linux", "build", "--source", tree)
    assert failed.returncode == 2
    assert "kernel" in failed.stderr
    assert not any(cache.iterdir())


@needs_kernel
def test_the_first_run_of_a_kernel_repeats_and_leaves_the_environment_as_it_was() -> None:
    before = dict(os.environ)
    there = kernels.built(source.VERSION)
    assert there is not None
    assert first_run.digest(there.folder) == there.about.first_run_sha256
    assert dict(os.environ) == before


def test_the_source_gets_room_for_the_registers_of_newer_processors(tmp_path: Path) -> None:
    file = tmp_path / source.REGISTERS
    file.parent.mkdir(parents=True)
    before, after = (f"\tDEFINE_LONGS(HOST_FP_SIZE, {it});\n" for it in ("2696", "12288"))
    # The second is that of a later version, which finds it out itself.
    for written, expected in ((before, after), ("int size;\n", "int size;\n")):
        file.write_text(written, encoding="utf-8")
        source.make_room_for_registers(tmp_path)
        assert file.read_text(encoding="utf-8") == expected


def test_programs_that_spin_wait_in_the_kernel_of_the_package(tmp_path: Path) -> None:
    file = tmp_path / source.CLOCK
    file.parent.mkdir(parents=True)
    asking = "{\ntime_travel_update_time_rel(TIMER_MULTIPLIER);\n}\n"
    whole = f"void time_travel_sleep(void)\n{{\n}}\n{asking}"
    file.write_text(whole, encoding="utf-8")
    source.let_spinning_programs_wait(tmp_path)
    changed = file.read_text(encoding="utf-8")
    assert changed.count("time_travel_asked") == 3
    # Of what would not compile, nothing is changed.
    for written in (asking, changed):
        file.write_text(written, encoding="utf-8")
        source.let_spinning_programs_wait(tmp_path)
        assert file.read_text(encoding="utf-8") == written


def test_a_kernel_without_room_for_the_registers_is_named_with_a_remedy() -> None:
    said = (
        "first.toml:15:17: stack `linux`: the Linux kernel: it has stopped; its last lines: "
        "userspace - ptrace set fp regs failed, errno = 14\nhelp: repair it"
    )
    why, _, remedy = str(first_run.does_not_run(said)).partition("\nhelp: ")
    assert why.startswith("the kernel that was built does not run here: the Linux kernel: it has")
    assert source.REGISTERS in remedy and str(source.REGISTERS_SIZE) in remedy
    assert "help" not in str(first_run.does_not_run("it has stopped"))
