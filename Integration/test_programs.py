# SPDX-License-Identifier: MIT
"""The contract of every program on WPProgram's framework: the four services of wpexporter, and an example of a program
that embeds it. Each has the same endpoints, metric names, reloads, notifications and exit statuses."""

import fcntl
import json
import os
import re
import signal
import socket
from typing import NamedTuple

import pytest

from support.programs import PASSWORD, execute
from support.waiting import wait_for
from support.web import send

HEALTH = {"status", "reason", "summary", "time", "program", "version", "uptime_seconds"}
# The metrics of the framework without the program's prefix, and their types.
FAMILIES = {
    "build_info": "gauge",
    "config_last_reload_successful": "gauge",
    "config_last_reload_success_timestamp_seconds": "gauge",
    "http_connections_open": "gauge",
    "http_connections_refused_total": "counter",
    "http_connections_displaced_total": "counter",
    "log_records_lost_total": "counter",
    "request_duration_seconds": "histogram",
    "requests_total": "counter",
    "tls_handshake_failures_total": "counter",
}
PREFIXES = {
    "server": "winpower_exporter", "hub": "winpower_hub", "node": "winpower_node", "sql": "winpower_sql", "sensor": "sensor"}
ACTIVATE = 'exec 3<&"$0" && LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"'


class Service(NamedTuple):
    """How a program is started; its settings are in `config`."""

    name: str
    prefix: str
    command: list
    environment: dict
    config: str

    def write(self, directory, level="info"):
        """Writes its settings and returns the command with them."""
        path = directory / f"{self.name}.yaml"
        path.write_text(f"server: {{host: 127.0.0.1, port: 0, enable_reload: true}}\nlogging: {{level: {level}}}\n{self.config}")
        return [*self.command, "--config", path]


# The example has to be compiled, so it belongs to the worker that compiles the other examples.
SENSOR = pytest.param("sensor", marks=pytest.mark.xdist_group("examples"))


@pytest.fixture(
    scope="module", params=[*(pytest.param(name, marks=pytest.mark.fast) for name in PREFIXES if name != "sensor"), SENSOR])
def service(request, shared_programs, binary):
    name, directory = request.param, shared_programs.directory
    command, environment, config = [binary, name], {}, ""
    if name == "server":
        environment = PASSWORD
        config = f"winpower: {{base_url: {shared_programs.simulator().url}, username: admin}}\n"
    elif name == "hub":
        command.append("--data-dir=data")
    elif name == "sql":
        config = ("databases: {shop: {dsn: 'postgresql://monitor@127.0.0.1:1/shop'}}\nmetrics: {v: {type: gauge}}\n"
                  "queries: {q: {databases: [shop], metrics: [v], sql: SELECT 1 AS v}}\n")
    elif name == "sensor":
        (directory / "temperature").write_text("21500\n")
        command = [request.getfixturevalue("example")("SensorExporter", "sensor")]
        config = f"sensor: {{device: {directory}/temperature}}\n"
    return Service(name, PREFIXES[name], command, environment, config)


@pytest.fixture(scope="module")
def running(service, shared_programs):
    """A program that the tests only read."""
    directory = shared_programs.directory / f"shared-{service.name}"
    directory.mkdir()
    program = shared_programs.start(service.name, service.write(directory), service.environment, cwd=directory)
    shared_programs.listening(program)
    yield program
    program.kill()


@pytest.fixture
def start(service, programs, tmp_path):
    """Starts a program for one test and waits until it listens."""

    def start(environment=None, prefix=(), **options):
        command = [*prefix, *service.write(tmp_path)]
        program = programs.start(service.name, command, {**service.environment, **(environment or {})}, **options)
        programs.listening(program)
        return program

    return start


@pytest.fixture
def manager(tmp_path):
    """The socket on which a service manager receives notifications."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(60)
        yield manager


def test_health_has_the_members_of_the_frame(service, running):
    reply = running.get("/health")
    assert reply.status == 200 and reply.headers["Content-Type"].startswith("application/json")
    health = reply.json()
    assert HEALTH <= health.keys()
    assert health["program"] == service.name and health["uptime_seconds"] > 0
    assert (health["status"] == "ok") == (health["reason"] is None)
    components = [health[name] for name in health.keys() - HEALTH if health[name] is not None]
    assert components and {component["status"] for component in components} <= {"ok", "degraded"}


def test_the_root_is_a_page(running):
    reply = running.get("/")
    assert reply.status == 200 and reply.headers["Content-Type"].startswith("text/html")
    assert reply.text.lstrip().lower().startswith("<!doctype html>")
    assert "Content-Security-Policy" in reply.headers


def test_another_path_is_an_error_as_json(running):
    reply = running.get("/nothing")
    assert reply.status == 404 and reply.json()["error"] == "not_found"


def test_the_metrics_of_the_frame_have_the_prefix_of_the_program(service, running):
    assert running.get("/health").status == 200
    text = running.get("/metrics").text
    types = dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.MULTILINE))
    expected = {f"{service.prefix}_{name}": kind for name, kind in FAMILIES.items()}
    assert {name: types.get(name) for name in expected} == expected
    assert types["process_start_time_seconds"] == "gauge"
    samples = running.metrics()
    assert samples[f'{service.prefix}_requests_total{{code="200",handler="health"}}'] >= 1
    assert [value for series, value in samples.items() if series.startswith(f"{service.prefix}_build_info{{")] == [1]
    others = {prefix for prefix in PREFIXES.values() if prefix != service.prefix}
    assert [name for name in types if name.removesuffix("_build_info") in others] == []


@pytest.mark.parametrize("trigger", ["PUT", "SIGHUP"])
def test_a_reload_applies_changed_settings(service, start, tmp_path, trigger):
    program = start()
    name = f"{service.prefix}_config_last_reload_success_timestamp_seconds"
    before = program.metrics()[name]
    service.write(tmp_path, level="debug")
    if trigger == "PUT":
        reply = send(program.url + "/-/reload", "PUT")
        assert reply.status == 200 and reply.json()["changed"] == ["logging.level"]
    else:
        program.send_signal(signal.SIGHUP)
    assert program.wait_for_record("Settings reloaded")["changed"] == "logging.level"
    wait_for("the metric shows the time of the reload", lambda: program.metrics()[name] > before)
    assert program.metrics()[f"{service.prefix}_config_last_reload_successful"] == 1

    def is_verbose():
        program.get("/health")
        return "debug" in {record["level"] for record in program.records()}

    wait_for("the new level is in effect", is_verbose)
    service.write(tmp_path, level="loud")
    program.send_signal(signal.SIGHUP)
    wait_for("invalid settings are rejected",
             lambda: program.metrics()[f"{service.prefix}_config_last_reload_successful"] == 0)
    assert program.is_running


def test_the_service_manager_is_notified_and_sigterm_ends_with_status_0(start, manager, tmp_path):
    program = start({"NOTIFY_SOCKET": str(tmp_path / "notify")})
    assert manager.recv(100) == b"READY=1"
    assert program.get("/health").status == 200
    program.send_signal(signal.SIGTERM)
    assert manager.recv(100) == b"STOPPING=1"
    assert program.wait() == 0


def test_an_inherited_socket_is_served(start):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        # Not 3, which is the number of the first inherited socket.
        descriptor = fcntl.fcntl(listener, fcntl.F_DUPFD, 10)
        try:
            program = start(prefix=["bash", "-c", ACTIVATE, descriptor], pass_fds=[descriptor])
        finally:
            os.close(descriptor)
        address = "%s:%d" % listener.getsockname()
    (record,) = program.records("Listening")
    assert record["inherited"] and record["address"] == address
    assert program.get("/metrics").status == 200
    assert program.stop() == 0


def test_check_accepts_valid_settings_and_starts_nothing(service, tmp_path):
    done = execute(*service.write(tmp_path), "--check", environment=service.environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Listening" not in done.stdout + done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [f"{service.name}.yaml"]


def test_check_reports_an_unknown_setting(service, tmp_path):
    command = service.write(tmp_path)
    path = command[-1]
    path.write_text(path.read_text().replace("port: 0", "prt: 0"))
    done = execute(*command, "--check", environment=service.environment, cwd=tmp_path)
    assert done.returncode == 2 and "prt" in done.stderr
    done = execute(*service.write(tmp_path), "--servr.port=1", "--check", environment=service.environment, cwd=tmp_path)
    assert done.returncode == 2 and "--servr.port" in done.stderr


def test_config_print_lists_every_setting_with_its_source(service, tmp_path):
    done = execute(*service.write(tmp_path), "--config.print", "--format", "json", environment=service.environment, cwd=tmp_path,
                   check=True)
    settings = {setting["key"]: setting for setting in json.loads(done.stdout)["settings"]}
    assert settings["server.enable_reload"]["source"] == "file" and settings["server.tls.cert_file"]["source"] == "default"
