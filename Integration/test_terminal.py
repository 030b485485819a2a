# SPDX-License-Identifier: MIT
"""`devices` and `watch` in a real terminal, tmux, at 80 and 200 columns."""

import contextlib
import json
import os
import pathlib
import re
import signal
import unicodedata

import pytest

from support.programs import execute
from support.waiting import wait_for

NAMES = ["UPS 机房一", "服务器机柜二 長い名前のテスト", "データセンター", "한국 UPS", "Twin", "Twin", "Rack 7"]
LAST = "Rack 7"

pytestmark = pytest.mark.needs("tmux")


def cells(text):
    """The width of a text in cells according to Python's Unicode data, which is independent of our tables."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


def columns(line):
    """The cells at which the words of a heading start."""
    return {match.group(): cells(line[: match.start()]) for match in re.finditer(r"\S+(?: \S+)*", line)}


class Pane:
    """A shell in a terminal."""

    def __init__(self, socket, directory, environment, width=80, height=24):
        self.socket, self.runs = str(socket), 0
        settings = [f"{name}={value}" for name, value in environment.items()]
        self.tmux(
            "-f", "/dev/null", "new-session", "-d", "-s", "pane", "-x", str(width), "-y", str(height),
            "-c", str(directory), "env", *settings, "PS1=$ ", "bash", "--norc", "--noprofile",
        )
        self.wait("a prompt", lambda lines: lines[0].startswith("$"))

    def tmux(self, *arguments):
        return execute("tmux", "-u", "-S", self.socket, *arguments, check=True).stdout

    def type(self, text):
        self.tmux("send-keys", "-t", "pane", "-l", text)
        self.key("Enter")

    def key(self, name):
        self.tmux("send-keys", "-t", "pane", name)

    def lines(self):
        return self.tmux("capture-pane", "-p", "-t", "pane").split("\n")[:-1]

    def resize(self, width, height):
        self.tmux("resize-window", "-t", "pane", "-x", str(width), "-y", str(height))

    def wait(self, what, probe):
        """The lines once they satisfy a probe and are equal in two reads, since a terminal may show half of a
        frame."""
        last = None

        def settled():
            nonlocal last
            previous, last = last, self.lines()
            return last == previous and probe(last) and last

        try:
            return wait_for(what, settled)
        except AssertionError as error:
            raise AssertionError(f"{error}\n" + "\n".join(last or []))

    def run(self, command, what):
        """Runs a command that exits by itself, and returns its output and exit status."""
        self.runs += 1
        mark = f"run {self.runs} ended with "
        self.type(f"clear; {command}; echo '{mark}'$?")
        # The screen may still show the output of an earlier run.
        lines = self.wait(what, lambda lines: any(re.fullmatch(rf"{mark}\d+", line) for line in lines))
        end = next(index for index, line in enumerate(lines) if line.startswith(mark))
        return lines[:end], int(lines[end][len(mark) :])

    def children(self):
        """The processes that the shell runs."""
        shell = self.tmux("display-message", "-p", "-t", "pane", "#{pane_pid}").strip()
        return [int(process) for process in pathlib.Path(f"/proc/{shell}/task/{shell}/children").read_text().split()]

    def close(self):
        with contextlib.suppress(AssertionError):
            self.tmux("kill-server")


@pytest.fixture
def simulate(simulator):
    """simulate(scenario, port=0) starts a server whose devices have the names above."""
    aliases = [word for name in NAMES for word in ("--alias", name)]
    return lambda scenario, port=0: simulator("--devices", len(NAMES), *aliases, "--scenario", scenario, port=port)


@pytest.fixture
def upstream(simulate, free_port):
    return simulate("alarm", port=free_port())


@pytest.fixture
def environment(binary, tmp_path, upstream):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/wpexporter").symlink_to(binary)
    return {
        "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "NO_COLOR": "",
        "WINPOWER_EXPORTER_WINPOWER_URL": upstream.url, "WINPOWER_EXPORTER_WINPOWER_USERNAME": "admin",
        "WINPOWER_EXPORTER_WINPOWER_PASSWORD": "simulator",
    }


@pytest.fixture
def pane(environment, tmp_path):
    pane = Pane(tmp_path / "tmux", tmp_path, environment)
    yield pane
    pane.close()


def check_table(lines, width):
    """Checks that the table has a heading and one aligned row per device, in order. Returns the columns."""
    picture = "\n".join(lines)
    assert all(cells(line) <= width for line in lines), picture
    start = next(index for index, line in enumerate(lines) if line.startswith("NAME"))
    rows = lines[start + 1 : start + 1 + len(NAMES)]
    assert [row[:4] for row in rows] == [name[:4] for name in NAMES], picture
    at = columns(lines[start])["MODE"]
    for row in rows:
        before, total = "", 0
        for letter in row:
            if total >= at:
                break
            before, total = before + letter, total + cells(letter)
        assert total == at and before.endswith("  ") and re.match(r"[a-z]", row[len(before) :]), f"{row!r} in\n{picture}"
    return columns(lines[start])


def live(lines):
    """Whether the last row of the live table is visible."""
    return any(line.startswith(LAST) for line in lines)


def test_devices_fits_the_width_of_the_terminal(pane):
    lines, status = pane.run("wpexporter devices", "the table")
    assert status == 0
    found = check_table(lines, 80)
    assert "POWER W" in found and "ID" not in found
    pane.resize(200, 24)
    lines, status = pane.run("wpexporter devices", "the table")
    assert {"ALARMS", "MODEL", "RATED VA", "ID"} <= check_table(lines, 200).keys()


def test_devices_writes_every_column_into_a_file(pane, tmp_path):
    _, status = pane.run("wpexporter devices > table.txt; wpexporter devices --format json > devices.json", "the files")
    lines = (tmp_path / "table.txt").read_text().splitlines()
    assert len(lines) == 1 + len(NAMES) and not any("\x1b" in line or "\t" in line for line in lines)
    assert all(len(re.split("  +", line)) == 13 for line in lines), "two spaces or more separate columns"
    document = json.loads((tmp_path / "devices.json").read_text())
    assert [device["name"] for device in document["devices"]] == NAMES


def test_devices_distinguishes_a_rejected_password_from_an_unknown_flag(pane):
    assert pane.run("WINPOWER_EXPORTER_WINPOWER_PASSWORD=x wpexporter devices", "the rejection")[1] == 1
    assert pane.run("wpexporter devices --formt json", "the fault")[1] == 2


def test_help_is_at_most_80_columns_wide(pane):
    lines, _ = pane.run("wpexporter devices --help | tail -n 18", "help")
    assert len(lines) >= 18 and all(cells(line) <= 80 for line in lines)


def test_devices_shows_progress_and_ends_on_ctrl_c(pane, simulate):
    url = simulate("hang").url
    pane.type(f"clear; wpexporter devices --winpower.url {url}; echo status $?")
    pane.wait("its progress", lambda lines: any(re.match(rf"Reading the devices of {url}: \d+ s, no reply", x) for x in lines))
    pane.key("C-c")
    lines = pane.wait("its end", lambda lines: any(line.endswith("status 130") for line in lines))
    assert not any("Reading" in line for line in lines)


def test_watch_draws_a_live_table_and_adapts_to_the_terminal_size(pane):
    pane.type("clear; echo stays; wpexporter watch --interval 1s")
    lines = pane.wait("the live table", live)
    check_table(lines, 80)
    assert "stays" not in "\n".join(lines), "it uses the whole screen"
    assert "█" in "\n".join(lines), "loads are shown as bars"
    first = lines[1]
    pane.wait("newer energy", lambda lines: lines[1] != first and " Wh " in lines[1])

    pane.resize(200, 30)
    lines = pane.wait("the wide table", lambda lines: any("ALARMS" in line for line in lines) and len(lines) == 30)
    check_table(lines, 200)
    assert lines[-1].startswith("q ends.")
    pane.resize(80, 9)
    lines = pane.wait("the small table", lambda lines: len(lines) == 9 and any("more;" in line for line in lines))
    assert all(cells(line) <= 80 for line in lines)
    assert sum("NAME" in line for line in lines) == 1, "nothing of the larger table remains"
    pane.resize(80, 24)
    pane.wait("all rows", live)


def test_watch_shows_the_last_values_during_an_outage_and_recovers(pane, simulate, upstream):
    pane.type("clear; wpexporter watch --interval 1s")
    pane.wait("the live table", live)
    upstream.stop()
    pane.wait("the outage", lambda lines: any(line.startswith("No reply for") for line in lines))
    lines = pane.wait("its age", lambda lines: live(lines) and any(
        re.search(r"([2-9]|\d\d) readings failed.*Values are \d+s old", line) for line in lines))
    check_table(lines, 80)
    assert any("Connection refused" in line for line in lines)
    simulate("on-battery", port=upstream.port)
    pane.wait("its end", lambda lines: any("on battery" in x for x in lines) and not any("No answer" in x for x in lines))


def test_watch_restores_the_terminal_when_stopped_and_at_its_end(pane, tmp_path):
    pane.type("clear; stty -a > before.txt; echo stays; wpexporter watch --interval 1s")
    pane.wait("the live table", live)
    pane.key("C-z")
    lines = pane.wait("the shell", lambda lines: any("Stopped" in line for line in lines))
    assert any("stays" in line for line in lines)
    pane.type("fg; echo ended $?")
    pane.wait("the live table again", lambda lines: lines[0].startswith("wpexporter watch"))
    pane.key("C-c")
    lines = pane.wait("its end", lambda lines: any(line.startswith("ended ") for line in lines))
    assert "ended 0" in lines
    assert any("stays" in line for line in lines)
    pane.run("stty -a > after.txt", "the modes")
    assert (tmp_path / "before.txt").read_text() == (tmp_path / "after.txt").read_text()


@pytest.mark.parametrize("how", ["q", "SIGTERM"])
def test_watch_ends_with_status_0(pane, how):
    pane.type("clear; wpexporter watch; echo status $?")
    pane.wait("the live table", live)
    if how == "q":
        pane.key("q")
    else:
        (process,) = pane.children()
        os.kill(process, signal.SIGTERM)
    pane.wait("its end", lambda lines: any(line == "status 0" for line in lines))


def test_watch_leaves_the_last_table_on_the_screen(pane):
    lines, status = pane.run("wpexporter watch --count 1", "the last table")
    check_table(lines, 80)
    assert status == 0


def test_watch_writes_lines_into_a_file(pane, simulate, tmp_path):
    url = simulate("on-battery").url
    _, status = pane.run(f"wpexporter watch --winpower.url {url} --count 2 --interval 1s > lines.txt", "the lines")
    lines = (tmp_path / "lines.txt").read_text().splitlines()
    assert status == 0 and len(lines) == 2 * len(NAMES)
    wrong = [line for line in lines if not re.match(r"time=\S+Z device=\S+ name=.* mode=battery load_percent=", line)]
    assert wrong == []


def test_watch_ends_when_its_pipe_is_closed(pane):
    lines, _ = pane.run("wpexporter watch --interval 1s | head -n 1", "the first line")
    assert any("device=" in line for line in lines)


def test_other_locales_work(pane):
    _, status = pane.run("LC_ALL=zh_CN.UTF-8 wpexporter watch --count 1 && LC_ALL=C wpexporter devices", "ASCII")
    assert status == 0


def test_watch_shows_the_totals_of_an_exporter_beside_it(pane, programs, environment):
    exporter = programs.serve("exporter", "server", "--host", "127.0.0.1", "--port", "0", "--interval", "1s", environment=environment)
    pane.type("clear; wpexporter watch --interval 1s; echo status $?")
    lines = pane.wait("its totals", lambda lines: any(re.search(rf"{LAST}.* 0\.0*[1-9]\d*$", line) for line in lines))
    assert "TOTAL kWh" in "\n".join(lines)
    pane.key("q")
    pane.wait("its end", lambda lines: any(line == "status 0" for line in lines))
    assert exporter.is_running
