"""What a kernel is configured with: `kernel.config`, and all controllers and queueing disciplines
that its source has, also those of a developer's own tree.
"""

from __future__ import annotations

import re
from pathlib import Path

from windtunnel.linux.errors import KernelError
from windtunnel.linux.tools import run

FRAGMENT = Path(__file__).parent / "kernel.config"
OF_THE_SOURCE = {
    "net/ipv4/Kconfig": r"^config (TCP_CONG_\w+)",
    "net/sched/Kconfig": r"^config (NET_SCH_\w+)",
}
"""What is added, by the file that names it."""

NEEDED = ("UML_TIME_TRAVEL_SUPPORT", "VIRTIO_UML", "VIRTIO_NET", "INET", "HIGH_RES_TIMERS")
"""Without these it cannot be a host."""

TICK = """
# A tick as Debian's kernels have it: User-Mode Linux has one of 10 ms, and lets nobody choose. Of
# several defaults the first holds.
config HZ
	int
	default 250
"""


def configure(source: Path, build: Path) -> dict[str, str]:
    """Write the configuration, and give the environment that `make` needs. Raises KernelError."""
    fragment, kconfig = build / "fragment", build / "Kconfig"
    fragment.write_text(wanted(source), encoding="utf-8")
    kconfig.write_text(with_tick(source), encoding="utf-8")
    environment = {
        "ARCH": "um",
        "SUBARCH": "x86_64",
        "KBUILD_KCONFIG": str(kconfig),
        "KCONFIG_ALLCONFIG": str(fragment),
        # The same source gives the same bytes, which a guest's random numbers depend on.
        "KBUILD_BUILD_TIMESTAMP": "1970-01-01",
        "KBUILD_BUILD_VERSION": "1",
        "KBUILD_BUILD_USER": "windtunnel",
        "KBUILD_BUILD_HOST": "windtunnel",
    }
    run(["make", f"O={build}", "allnoconfig"], source, environment)
    made = (build / ".config").read_text(encoding="utf-8")
    if missing := [it for it in NEEDED if f"CONFIG_{it}=y\n" not in made]:
        raise KernelError(
            f"{source} cannot be configured as a host: it lacks {', '.join(missing)}\n"
            "help: Linux 5.10 and later have them, for User-Mode Linux"
        )
    return environment


def wanted(source: Path) -> str:
    """Give the fragment with all controllers and queueing disciplines of the source."""
    names: set[str] = set()
    for file, pattern in OF_THE_SOURCE.items():
        text = (source / file).read_text(encoding="utf-8")
        names |= {*re.findall(pattern, text, re.MULTILINE)}
    lines = [f"CONFIG_{name}=y" for name in sorted(names)]
    return FRAGMENT.read_text(encoding="utf-8") + "\n".join([*lines, ""])


def with_tick(source: Path) -> str:
    """Give the source's own first file of Kconfig, with the tick defined before all else."""
    text = (source / "Kconfig").read_text(encoding="utf-8")
    return re.sub(r"^mainmenu .*$", lambda it: it[0] + TICK, text, count=1, flags=re.MULTILINE)
