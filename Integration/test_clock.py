# SPDX-License-Identifier: MIT
"""The history, the hub and their API with a wrong wall clock, compared with a real Prometheus whose clock is correct.

A small library (support/shift.c) shifts the wall clock of a program, before its start and while it runs: faketime
would make the timers of a long-running program follow the wall clock, unlike the kernel. Short commands use faketime.
"""

import json
import pathlib
import struct
import time

import pytest

from support.programs import execute
from support.waiting import wait_for
from support.web import send

HOUR, DAY = 3600, 86400
UPSES = "/api/v2/clusters/default/ups"
LOAD, ENERGY = "winpower_device_load_total_watts{", "winpower_device_cumulative_energy{"
DROPPED = 'winpower_exporter_hub_reports_dropped_total{reason="refused"}'

pytestmark = pytest.mark.needs("gcc", "libc6-dev")


class Clock:
    """The wall clock of programs started with its environment. The monotonic clock is unchanged."""

    def __init__(self, library, directory):
        self.file, self.shift = directory / "clock", 0
        self.file.write_bytes(bytes(8))
        self.environment = {"LD_PRELOAD": str(library), "SHIFT_FILE": str(self.file)}

    def set(self, seconds):
        """Sets the clock ahead of the correct time by this many seconds."""
        with self.file.open("r+b") as file:
            file.write(struct.pack("=q", seconds))
        self.shift = seconds

    @property
    def now(self):
        return time.time() + self.shift


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("shift") / "shift.so"
    source = pathlib.Path(__file__).with_name("support") / "shift.c"
    execute("gcc", "-O1", "-shared", "-fPIC", "-o", path, source, "-ldl", check=True)
    return path


@pytest.fixture
def clock(library, tmp_path):
    return Clock(library, tmp_path)


@pytest.fixture
def server(simulator, settings, exporter, clock):
    """Starts an exporter with a history under the clock, always with the same settings."""
    config = settings(simulator("--devices", 1), history={"interval": "1s"})
    return lambda: exporter(config, environment=clock.environment)


@pytest.fixture
def points(wpexporter, tmp_path):
    """The points of the exporter's history."""

    def points():
        done = wpexporter("history", "export", "--data-dir", tmp_path / "data-config", check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    return points


def timestamp(offset=0):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + offset))


def times(points):
    return {point["timestamp"] for point in points}


def ups(program):
    return wait_for("there is a UPS", lambda: program.get(UPSES).json()["ups"])[0]


def is_settled(program):
    """Whether the API, the metrics and the health endpoint report the same state of the UPS."""
    device, metrics, health = ups(program), program.metrics(), program.health()
    load, energy = (next(value for series, value in metrics.items() if series.startswith(name)) for name in (LOAD, ENERGY))
    return (
        device["state"] == "online"
        and abs(device["load_watts"] - load) < 0.01
        and abs(device["energy_watt_hours"] - energy) < 0.01
        and health["status"] == "ok"
        and health["history"]["state"] == "open"
    )


def points_arrive(program, clock, count=3):
    """Waits for points with the current time of the clock."""
    begin = int(clock.now)
    query = f"{UPSES}/{ups(program)['id']}/history?from={begin}&to={begin + 120}"
    wait_for("points are recorded", lambda: len(program.get(query).json()["history"]) >= count)


def record(program, clock, count=3):
    points_arrive(program, clock, count)
    wait_for("API, metrics and health agree", lambda: is_settled(program))


def continues(program):
    before = ups(program)["energy_watt_hours"]
    wait_for("the energy increases", lambda: ups(program)["energy_watt_hours"] > before)


def warnings(program):
    return [text for text in program.messages() if text and text.startswith("The clock of this machine is implausible")]


@pytest.mark.needs("prometheus")
@pytest.mark.parametrize("shift", [8 * HOUR, -HOUR, 40 * DAY, -1095 * DAY],
                         ids=["8 hours ahead", "an hour behind", "40 days ahead", "3 years behind"])
def test_a_clock_step_while_the_exporter_runs_is_detected(server, clock, prometheus, shift):
    running = server()
    observer = prometheus(f"""\
global: {{scrape_interval: 1s, scrape_timeout: 1s}}
scrape_configs:
  - job_name: winpower
    static_configs: [{{targets: ["127.0.0.1:{running.port}"]}}]
""")

    def is_plausible():
        return observer.number("winpower_exporter_history_clock_plausible")

    record(running, clock)
    wait_for("Prometheus sees a plausible clock", lambda: is_plausible() == 1)
    clock.set(shift)
    wait_for("health reports the step", lambda: running.health()["history"].get("clock", {}).get("reason") == "stepped")
    wait_for("Prometheus sees an implausible clock", lambda: is_plausible() == 0)
    wait_for("API, metrics and health agree", lambda: is_settled(running))
    continues(running)
    if shift > -30 * DAY:
        record(running, clock)
    clock.set(0)
    record(running, clock)
    wait_for("the clock is plausible again", lambda: is_plausible() == 1)
    assert len(warnings(running)) == 1
    assert running.stop() == 0


def test_each_of_several_clock_steps_is_logged_once(server, clock):
    running = server()

    def is_plausible():
        return running.metrics()["winpower_exporter_history_clock_plausible"] == 1

    record(running, clock)
    for count, shift in enumerate((8 * HOUR, -HOUR, 40 * DAY, -1095 * DAY), start=1):
        clock.set(shift)
        wait_for("the step is detected", lambda: not is_plausible())
        continues(running)
        if shift > -30 * DAY:
            points_arrive(running, clock)
        clock.set(0)
        wait_for("the clock is plausible again", is_plausible)
        points_arrive(running, clock)
        assert len(warnings(running)) == count
    assert running.stop() == 0


@pytest.mark.parametrize("shift", [40 * DAY, 1095 * DAY, -8 * HOUR], ids=["40 days ahead", "3 years ahead", "8 hours behind"])
def test_a_start_with_a_wrong_clock_deletes_nothing(server, clock, points, shift):
    kept = set()
    for now in (0, shift, 0):
        clock.set(now)
        running = server()
        record(running, clock)
        assert running.stop() == 0
        found = times(points())
        assert kept <= found
        kept = found


@pytest.mark.needs("faketime")
def test_points_in_the_future_are_removed_on_request(server, clock, points, binary, tmp_path):
    # Most points must not be in the future: otherwise the clock would be considered wrong.
    for shift, count in ((0, 3), (40 * DAY, 3), (0, 8)):
        clock.set(shift)
        running = server()
        record(running, clock, count)
        assert running.stop() == 0
    before = points()
    future = [point for point in before if point["timestamp"] > timestamp()]
    command = [binary, "history", "remove-future", "--data-dir", tmp_path / "data-config"]
    done = execute("faketime", "-f", "-400d", *command)
    assert done.returncode == 1 and "may be behind" in done.stderr
    assert times(points()) == times(before), "with a clock that is behind, all points stay"
    assert json.loads(execute(*command, check=True).stdout)["removed"] == len(future) > 0
    after = points()
    assert times(after) == times(before) - times(future)
    energy, left = (sum(point.get("energy_watt_hours", 0) for point in some) for some in (before, after))
    assert abs(energy - left) < 1e-9, "the energy of a removed point is added to the last point before it"


@pytest.fixture
def receiving(hub, clock):
    """A hub whose clock is one hour behind."""
    clock.set(-HOUR)
    return hub("--history.interval", "1s", environment=clock.environment)


@pytest.fixture
def sending(receiving, simulator, settings, exporter):
    """An exporter that has reported to it for several cycles."""
    running = exporter(settings(simulator("--devices", 1), history={"enabled": False},
                                hub={"url": receiving.url, "site": "hq"}))
    wait_for("the hub accepts reports", lambda: running.metrics()["winpower_exporter_hub_reports_sent_total"] > 3)
    return running


def test_a_hub_with_a_wrong_clock_accepts_reports_and_logs_it(receiving, sending, clock):
    def report():
        body = {"node_name": "n1", "timestamp": timestamp()}
        return send(receiving.url + "/metrics/node", "POST", body, {"Content-Type": "application/json"}).json()["recorded"] == 1

    def is_contradicted():
        report()
        return receiving.health()["history"].get("clock", {}).get("reason") == "senders_disagree"

    wait_for("reports without an age are also accepted", report)
    wait_for("health reports that senders disagree", is_contradicted)
    assert receiving.metrics()["winpower_hub_history_clock_plausible"] == 0
    assert ups(receiving)["state"] == "online"
    clock.set(0)
    wait_for("the corrected clock is plausible", lambda: receiving.metrics()["winpower_hub_history_clock_plausible"] == 1)
    points_arrive(receiving, clock)
    assert sending.metrics()[DROPPED] == 0


def test_a_hub_continues_after_its_clock_steps_back(receiving, sending, clock):
    clock.set(0)
    points_arrive(receiving, clock)
    clock.set(-HOUR)
    continues(receiving)
    assert ups(receiving)["state"] == "online"
    assert sending.metrics()[DROPPED] == 0
