"""Bad input: one clear message, the right exit code, nothing half-written."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import SCENARIO, Command

MISTAKE = 2
FAULT = 1

MISTAKES = {
    "a wrong unit": ('"10 Mbps"', '"10 ms"', '"10 ms"', "100 Mbps"),
    "no unit": ('"10 Mbps"', "10", "10", "100 Mbps"),
    "a rate of zero": ('"10 Mbps"', '"0 Mbps"', '"0 Mbps"', "never sends"),
    "a negative delay": ('"5 ms"', '"-5 ms"', '"-5 ms"', "negative"),
    "a missing node": ('"producer"]', '"prodcer"]', '"prodcer"', "`producer`"),
    "a missing key": (
        'rate = "10 Mbps"\n',
        "",
        "[links.wire]",
        "`rate`, `radio`, `fixed_wireless`, `optical`, `trace`",
    ),
    "a link to itself": ('"producer"]', '"consumer"]', '["consumer", "consumer"]', "different"),
    "two names for one node": ("{}, producer", "{}, consumer", "consumer", "duplicate"),
    "an unknown key": ("delay", "dealy", "dealy", "`delay`"),
    "an unknown controller": ('= "aimd"', '= "aidm"', '"consumers.viewer.controller"', "`aimd`"),
    "an unknown queue": ("drop-tail", "drop-tial", '"drop-tial"', "`drop-tail`"),
    "a disconnected consumer": (
        "producer = {} }",
        "producer = {}, island = {} }\n"
        '[consumers.alone]\nnode = "island"\nprefix = "/video"\ncontroller = "aimd"',
        "alone",
        "connect `island`",
    ),
    "what nobody serves": ('prefix = "/video"\ncon', 'prefix = "/vido"\ncon', "viewer", "/video"),
    "no TOML": ("[links.wire]", "[links.wire", "", "]"),
    "no time": ('"1 s"', '"0 s"', '"0 s"', "greater than zero"),
    "too many samples": ('"100 ms"', '"1 ns"', '"1 ns"', "longer interval"),
    "`runs` must be greater than zero": ("runs = 2", "runs = 0", "0", "1 or more"),
    "a route over no link": (
        "[compare",
        '[[routing.routes]]\nnode = "consumer"\nprefix = "/video"\nlink = "wired"\n[compare',
        '"wired"',
        "`wire`",
    ),
    "a comparison of what is not there": (
        'aimd = { "consumers.viewer.controller"',
        'aimd = { "consumers.veiwer.controller"',
        '"consumers.veiwer.controller"',
        "`viewer`",
    ),
    "a trace that is not there": (
        'rate = "10 Mbps"\n',
        'trace = { file = "nowhere", kind = "rates" }\n',
        '"nowhere"',
        "nowhere: no such file",
    ),
    "a map that is no map": (
        'rate = "10 Mbps"\n',
        'radio = { map = "small.toml", speed = "1 m/s", carrier = "28 GHz", '
        'bandwidth = "1 GHz", transmit_power = "30 dBm" }\n',
        '"small.toml"',
        "small.toml:2:1: unknown key `duration`",
    ),
}
"""For each mistake: what is right in the file, what is written instead, what of it
the message underlines, and what the message says."""


def assert_refused(answered: subprocess.CompletedProcess[str], code: int, *said: str) -> None:
    """Check that there is one message, which says some things, and no answer."""
    error = answered.stderr
    assert answered.returncode == code, error
    assert answered.stdout == ""
    assert "Traceback" not in error
    assert error.count("windtunnel: ") == 1, error
    for what in said:
        assert what in error, error


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_the_file_is_shown_in_its_place_with_what_would_be_right(
    windtunnel: Command, scenario: Path, name: str
) -> None:
    right, wrong, offending, said = MISTAKES[name]
    assert SCENARIO.count(right) == 1
    scenario.write_text(SCENARIO.replace(right, wrong), encoding="utf-8")
    refused = windtunnel("run", scenario.name)
    assert_refused(refused, MISTAKE, said)
    line, column, shown, under = re.search(
        r"small\.toml:(\d+):(\d+): .*\n *\|\n *\d+ \| (.*)\n *\| ( *\^+)", refused.stderr
    ).groups()  # type: ignore[union-attr]
    assert scenario.read_text(encoding="utf-8").splitlines()[int(line) - 1] == shown
    assert int(column) == under.index("^") + 1
    assert offending in shown[under.index("^") : len(under)]
    assert {it.name for it in scenario.parent.iterdir()} == {"small.toml"}


def test_check_refuses_what_run_does(windtunnel: Command, scenario: Path) -> None:
    scenario.write_text(SCENARIO.replace('"10 Mbps"', '"10 ms"'), encoding="utf-8")
    assert windtunnel("check", scenario.name).stderr == windtunnel("run", scenario.name).stderr


def test_a_missing_file(windtunnel: Command) -> None:
    assert_refused(windtunnel("run", "nowhere.toml"), MISTAKE, "nowhere.toml: No such file")


def test_a_folder_in_place_of_a_file(windtunnel: Command, tmp_path: Path) -> None:
    assert_refused(windtunnel("run", tmp_path), MISTAKE, f"{tmp_path}: Is a directory")


def test_a_binary_file(windtunnel: Command, tmp_path: Path) -> None:
    (tmp_path / "picture.toml").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    refused = windtunnel("run", "picture.toml")
    assert_refused(refused, MISTAKE, "picture.toml:1: not text in UTF-8: byte 0x89")


def test_a_file_of_a_gigabyte_is_refused_without_reading_it_all(
    windtunnel: Command, tmp_path: Path
) -> None:
    with open(tmp_path / "large.toml", "wb") as file:
        file.truncate(1_000_000_000)

    def less_memory_than_the_file() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (500_000_000, 500_000_000))

    refused = windtunnel("check", "large.toml", preexec_fn=less_memory_than_the_file)
    assert_refused(refused, MISTAKE, "large.toml: too large", "16 MiB")


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("duration", ["write a path, = and a value"]),
        ("=5 s", ["write a path, = and a value"]),
        ("duratoin=5 s", ["did you mean `duration`"]),
        ("links.wrie.rate=5 Mbps", ["there is no `wrie` in links", "`wire`"]),
        ("links.wire.rate=5 ms", ["`ms` is not a valid unit for a rate"]),
        ("title.text=a", ["`title` is a value, not a table"]),
        ("links..rate=1 Mbps", ["is not a valid path"]),
        ("links.wire.nodes[2]=x", ["array `links.wire.nodes` has no element `2`"]),
        ("runs=1e12", ["`1000000000000.0` is too large: the most is 4294967295"]),
    ],
)
def test_a_bad_setting(windtunnel: Command, scenario: Path, setting: str, said: list[str]) -> None:
    assert_refused(windtunnel("run", scenario.name, "--set", setting), MISTAKE, *said)


def test_a_setting_that_is_no_text(windtunnel: Command, scenario: Path) -> None:
    setting = os.fsdecode(b"title=\xff")
    assert_refused(windtunnel("run", scenario.name, "--set", setting), MISTAKE, "not text in UTF-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rnu", "small.toml"], "Did you mean 'run'?"),
        (["run"], "Missing argument 'FILE'"),
        (["run", "small.toml", "--jobs", "0"], "greater than or equal to 1"),
        (["run", "small.toml", "--seed", "-1"], "greater than or equal to 0"),
        (["list", "kontrollers"], "did you mean `controllers`?"),
        (["list", "cubc"], "unknown name `cubc` help: did you mean `cubic`?"),
        (["list", "CUBIC"], "did you mean `cubic`?"),
        (["list", "bbr2"], "did you mean `bbr1` or `bbr3`?"),
        (["reproduce", "EC-Elatsic"], "did you mean `ec-elastic`?"),
        (["bench", "NDN-chian"], "did you mean `ndn-chain`?"),
        (["new", "Satelite"], "there is no recipe `Satelite` help: did you mean `satellite`?"),
    ],
)
def test_a_word_that_is_not_known(
    windtunnel: Command, scenario: Path, arguments: list[str], said: str
) -> None:
    refused = windtunnel(*arguments)
    assert refused.returncode == MISTAKE
    assert refused.stdout == ""
    assert said in " ".join(refused.stderr.split())
    assert "Traceback" not in refused.stderr


def test_a_folder_without_results(windtunnel: Command, scenario: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for arguments, name, why in (
        (["report", "empty"], "empty", "it has no manifest.json"),
        (["compare", "nowhere", "empty"], "nowhere", "there is no such folder"),
        (["report", "small.toml"], "small.toml", "it is a file\nhelp: `windtunnel run small.toml`"),
    ):
        said = f"windtunnel: {name}: not a folder of results: {why}"
        assert_refused(windtunnel(*arguments), MISTAKE, said)


def test_a_place_where_nothing_can_be_written(windtunnel: Command, scenario: Path) -> None:
    """The simulation does not even start: it would take days."""
    long = ["--set", "duration=100000 s"]
    for place in ("small.toml", "small.toml/results", "/proc/results", ".", ".."):
        refused = windtunnel("run", scenario.name, *long, "--out", place)
        assert_refused(refused, MISTAKE)
    assert scenario.read_text(encoding="utf-8") == SCENARIO


def test_a_folder_of_something_else_is_left_alone(windtunnel: Command, scenario: Path) -> None:
    thesis = scenario.parent / "thesis"
    thesis.mkdir()
    (thesis / "chapter-1.tex").write_text("It was a dark and stormy night.")
    refused = windtunnel("run", scenario.name, "--out", "thesis")
    assert_refused(refused, MISTAKE, "thesis: does not hold results")
    assert [it.name for it in thesis.iterdir()] == ["chapter-1.tex"]


def test_a_full_disk(windtunnel: Command, scenario: Path) -> None:
    def no_file_above_four_kilobytes() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    options = ["--out", "kept", "--set", "recording.interval=1 ms"]
    refused = windtunnel("run", scenario.name, *options, preexec_fn=no_file_above_four_kilobytes)
    assert_refused(refused, MISTAKE, "kept: File too large")
    assert {it.name for it in scenario.parent.iterdir()} == {"small.toml"}


@pytest.mark.parametrize(
    "arguments", [["schema"], ["list", "queues"], ["check", "small.toml"], ["--help"]]
)
def test_an_answer_that_cannot_be_written(
    windtunnel: Command, scenario: Path, arguments: list[str]
) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        refused = windtunnel(*arguments, stdout=full, capture_output=False, stderr=-1)
    assert refused.returncode == MISTAKE
    assert refused.stderr == "windtunnel: standard output: No space left on device\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["schema"],
        ["list"],
        ["list", "columns"],
        ["list", "cubic"],
        ["list", "--json"],
        ["check", "small.toml"],
        ["check", "small.toml", "--json"],
        ["run", "small.toml"],
        ["run", "small.toml", "--json"],
        ["compare", "kept", "kept"],
        ["compare", "kept", "kept", "--json"],
        ["report", "kept"],
        ["--show-completion", "bash"],
        ["check", "nowhere.toml"],
        ["rnu"],
    ],
    ids=" ".join,
)
def test_a_reader_who_leaves_ends_a_command_without_a_word(
    windtunnel: Command, scenario: Path, arguments: list[str]
) -> None:
    if "kept" in arguments:
        windtunnel("run", scenario.name, "--out", "kept")
    read, written = os.pipe()
    os.close(read)
    # Both streams lead nowhere: what goes to the third is what Python says by itself.
    program = (
        "import os, sys\n"
        "third = os.fdopen(3, 'w')\n"
        "sys.excepthook = lambda *error: print(*error, file=third, flush=True)\n"
        "sys.unraisablehook = lambda it: print(it, file=third, flush=True)\n"
        "from windtunnel.cli import main\n"
        "main()\n"
    )
    said = scenario.parent / "said"
    with open(said, "w", encoding="utf-8") as third:
        command = f'exec 3>&{third.fileno()}; exec "$@"'
        ended = subprocess.run(
            ["sh", "-c", command, "sh", sys.executable, "-c", program, *arguments],
            cwd=scenario.parent,
            stdout=written,
            stderr=subprocess.PIPE,
            pass_fds=[third.fileno()],
            env={**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"},
            timeout=60,
        )
    os.close(written)
    assert ended.returncode in (FAULT, MISTAKE)
    assert said.read_text() == ""
    assert b"Traceback" not in ended.stderr and b"Broken pipe" not in ended.stderr


STUDY = """\
scenario = "small.toml"
seeds = 2
set = { runs = 1 }
"""


@pytest.fixture
def study(scenario: Path) -> Path:
    """Write a study of the scenario, which has no comparison."""
    scenario.write_text(SCENARIO.partition("[compare")[0], encoding="utf-8")
    file = scenario.with_name("study.toml")
    file.write_text(STUDY, encoding="utf-8")
    return file


READ = [["run"], ["check"], ["check", "--expand"], ["study"], ["study", "--dry-run"], ["emulate"]]
"""Commands that read a scenario or a study."""


@pytest.mark.parametrize("command", [*READ, ["dns"], ["ndn", "forward"]], ids=" ".join)
def test_another_language_or_encoding_is_named_with_its_line(
    windtunnel: Command, tmp_path: Path, command: list[str]
) -> None:
    (tmp_path / "it.yaml").write_text("# A network\nlinks:\n  wire: {}\n", encoding="utf-8")
    refused = windtunnel(*command, "it.yaml")
    assert_refused(refused, MISTAKE, "it.yaml:2:1: this is YAML, and the file must be TOML")
    (tmp_path / "it.json").write_text('{"links": {}}\n', encoding="utf-8")
    refused = windtunnel(*command, "it.json")
    assert_refused(refused, MISTAKE, "it.json:1:1: this is JSON, and the file must be TOML")
    (tmp_path / "latin.toml").write_bytes("# A\ntitle = 'Überlandleitung'\n".encode("latin-1"))
    refused = windtunnel(*command, "latin.toml")
    assert_refused(refused, MISTAKE, "latin.toml:2: not text in UTF-8: byte 0xdc")


@pytest.mark.parametrize("command", ["run", "emulate"])
def test_a_study_is_named_where_a_scenario_is_wanted(
    windtunnel: Command, study: Path, command: str
) -> None:
    said = "study.toml:1:1: `scenario` is a key of studies", "`windtunnel study FILE`"
    assert_refused(windtunnel(command, study.name), MISTAKE, *said)


@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_a_scenario_is_named_where_a_study_is_wanted(
    windtunnel: Command, scenario: Path, options: list[str]
) -> None:
    refused = windtunnel("study", scenario.name, *options)
    assert_refused(refused, MISTAKE, "a key of scenarios", f"`windtunnel run {scenario.name}`")


@pytest.mark.parametrize("command", READ, ids=" ".join)
def test_results_are_named_where_a_file_is_wanted(
    windtunnel: Command, scenario: Path, command: list[str]
) -> None:
    windtunnel("run", scenario.name, "--out", "kept")
    refused = windtunnel(*command, "kept")
    assert_refused(refused, MISTAKE, "kept: a folder of results, not a file", "windtunnel report")


def test_a_folder_without_a_paper_is_named(windtunnel: Command, scenario: Path) -> None:
    refused = windtunnel("reproduce", "./small.toml")
    assert_refused(refused, MISTAKE, "small.toml: not the folder of a paper: a file")
    refused = windtunnel("reproduce", str(scenario.parent) + "/.")
    assert_refused(refused, MISTAKE, "it has no paper.toml", "`windtunnel new paper DIR`")


@pytest.mark.parametrize(
    "options",
    [
        ["--pcap", "prodcer"],
        ["--pcap", "consumer", "--pcap-direction", "up"],
        ["--pcap", "consumer", "--pcap-window", "3 s", "2 s"],
        ["--pcap", "consumer", "--pcap-window", "3", "2 s"],
        ["--events", "veiwer"],
    ],
    ids=" ".join,
)
def test_nothing_is_said_to_be_replaced_by_what_is_not_run(
    windtunnel: Command, scenario: Path, options: list[str]
) -> None:
    windtunnel("run", scenario.name, "--out", "kept")
    before = {it: it.read_bytes() for it in (scenario.parent / "kept").iterdir()}
    refused = windtunnel("run", scenario.name, "--seed", "5", "--out", "kept", *options)
    assert_refused(
        refused, MISTAKE, f"windtunnel: {options[-2] if len(options) == 2 else '--pcap'}"
    )
    assert "replaces" not in refused.stderr
    assert {it: it.read_bytes() for it in (scenario.parent / "kept").iterdir()} == before


FULL = [
    (["study", "study.toml", "--store", "store"], "store"),
    (["run", "small.toml", "--pcap", "consumer", "--set", "duration=20 s"], "results/small"),
    (["run", "small.toml", "--events", "viewer", "--set", "duration=20 s"], "results/small"),
    (["new", "paper", "mine"], "mine"),
]


@pytest.mark.parametrize(("arguments", "place"), FULL, ids=lambda it: str(it))
def test_a_full_disk_is_named_with_the_path(
    windtunnel: Command, study: Path, arguments: list[str], place: str
) -> None:
    def no_file_above_some_bytes() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))

    refused = windtunnel(*arguments, preexec_fn=no_file_above_some_bytes)
    assert refused.returncode == MISTAKE, refused.stderr
    last = refused.stderr.splitlines()[-1]
    assert re.fullmatch(rf"windtunnel: \S*{place}\S*: File too large", last), refused.stderr
    assert "/.small-" not in last and "/.mine-" not in last


def test_what_cannot_happen_before_the_end_is_said(windtunnel: Command, scenario: Path) -> None:
    late = '[[links.wire.changes]]\nat = "30 s"\nstate = "down"\n[compare'
    scenario.write_text(SCENARIO.replace("[compare", late, 1), encoding="utf-8")
    said = "link `wire` changes at 30 s, and the run ends at 1 s: it does not happen"
    assert said in windtunnel("check", scenario.name).stderr
    assert said in windtunnel("run", scenario.name).stderr
    assert said not in windtunnel("check", scenario.name, "--set", "duration=31 s").stderr


def test_a_value_for_both_directions_in_place_of_two_is_said(
    windtunnel: Command, scenario: Path
) -> None:
    two = SCENARIO.replace('rate = "10 Mbps"', 'rate = ["10 Mbps", "2 Mbps"]')
    scenario.write_text(two, encoding="utf-8")
    said = "is for both directions"
    for command in ("check", "run"):
        checked = windtunnel(command, scenario.name, "--set", "links.wire.rate=5 Mbps")
        assert said in checked.stderr and checked.returncode == 0
        checked = windtunnel(command, scenario.name, "--set", "links.wire.rate[1]=5 Mbps")
        assert said not in checked.stderr and checked.returncode == 0


def test_a_fault_of_ours_is_called_one(scenario: Path) -> None:
    program = (
        "from windtunnel.cli import checking, main\n"
        "def facts(*_): raise KeyError('what nobody thought of')\n"
        "checking.facts = facts\n"
        "main()\n"
    )
    command = [sys.executable, "-c", program, "check", str(scenario)]
    failed = subprocess.run(command, capture_output=True, encoding="utf-8")
    assert_refused(failed, FAULT, "internal error; please report it", "what nobody thought of")
