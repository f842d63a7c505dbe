"""Installs packages in clean environments, and tries them as a user would who has no checkout.

    python3 packaging/check_packages.py target/dist

tries the source and the wheels for this machine; wheels for others must at least be whole.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PROGRAM = """\
import windtunnel
results = windtunnel.run("mine.toml", settings={"duration": "1 s"})
assert results["flows"]["received_bytes"].sum() > 0
"""


def main() -> None:
    """Check all packages of a folder; the first fault ends it."""
    packages = sorted(Path(sys.argv[1]).resolve().glob("windtunnel-*"))
    tried = [check(package) for package in packages]
    if not any(tried):
        sys.exit(f"{sys.argv[1]}: no package for this machine, {platform.machine()}")


def check(package: Path) -> bool:
    """Check a package; returns whether it could be installed here."""
    if package.suffix == ".whl":
        check_contents(package)
        if not package.stem.endswith(f"_{platform.machine()}"):
            print(f"{package.name}: whole; for another machine")
            return False
    with tempfile.TemporaryDirectory() as folder:
        try_installed(package, Path(folder))
    print(f"{package.name}: installed and tried")
    return True


def check_contents(wheel: Path) -> None:
    """Check that a wheel has what the package reads as files, and that no byte was lost."""
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None, wheel
        names = set(archive.namelist())
    data = "windtunnel/data"
    for name in ("papers/ec-elastic/paper.toml", "scenarios/home.toml", "recipes/bufferbloat.toml"):
        assert f"{data}/{name}" in names, f"{wheel}: no {data}/{name}"
    for core in ("windtunnel/_core.abi3.so", "windtunnel/py.typed"):
        assert core in names, f"{wheel}: no {core}"


def try_installed(package: Path, folder: Path) -> None:
    """Install a package beside nothing else, and go the first steps of the README with it."""
    run(folder, sys.executable, "-m", "venv", "environment")
    programs = folder / "environment" / "bin"
    run(folder, programs / "pip", "install", "--quiet", package)
    version = run(folder, programs / "windtunnel", "--version").split()[1]
    assert package.name.startswith(f"windtunnel-{version}"), f"{package.name} is {version}"
    assert "ec-elastic" in run(folder, programs / "windtunnel", "list", "papers")
    recipe = run(folder, programs / "windtunnel", "new", "bufferbloat")
    (folder / "mine.toml").write_text(recipe, encoding="utf-8")
    run(folder, programs / "windtunnel", "run", "mine.toml", "--set", "duration=1 s", "--report")
    assert (folder / "results" / "mine" / "report.html").exists()
    run(folder, programs / "python", "-c", PROGRAM)


def run(folder: Path, *command: str | Path) -> str:
    """Run a command outside of any checkout; returns what it prints."""
    kept = ("PATH", "HOME", "CARGO_", "RUSTUP_", "PIP_", "SSL_")
    environment = {key: it for key, it in os.environ.items() if key.startswith(kept)}
    ran = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {ran.returncode}")
    return ran.stdout


if __name__ == "__main__":
    main()
