# SPDX-License-Identifier: MIT
"""Builds each package of Examples/ as users do and runs it: scraped, linted, pushed to a real Pushgateway."""

import json
import re
import shutil

import pytest

from support.programs import ROOT, execute
from support.waiting import wait_for
from support.web import get, send

EXAMPLES = ROOT / "Examples"
# The only documented name that promtool's linter reports.
LINT_EXCEPTION = "winpower_exporter_device_count"
USERNAME, PASSWORD = "admin", "simulator"  # accepted by the simulator

pytestmark = [pytest.mark.needs("prometheus"), pytest.mark.xdist_group("examples")]


@pytest.fixture
def serve(programs, free_port):
    """serve(program, *arguments) starts a program that picks a port, and waits for its metrics."""

    def serve(program, *arguments, environment=None):
        port = free_port()
        running = programs.start(program.name, [program, port, *arguments], environment)
        running.url = f"http://127.0.0.1:{port}"
        running.wait_for("it answers", lambda: answers(running))
        return running

    return serve


def answers(program):
    try:
        return program.get("/metrics").status == 200
    except OSError:
        return False


def lint(exposition):
    done = execute("promtool", "check", "metrics", stdin=exposition)
    return [line for line in (done.stdout + done.stderr).splitlines() if line and LINT_EXCEPTION not in line]


def test_every_package_has_a_test():
    packages = {manifest.parent.name for manifest in EXAMPLES.glob("*/Package.swift")}
    tests = set(globals())
    assert {package for package in packages if f"test_{snake(package)}" not in tests} == set()


def snake(name):
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


def test_serve_counters(example, serve):
    running = serve(example("ServeCounters", "serve-counters"))
    send(running.url + "/orders", "POST", b"")
    exposition = running.get("/metrics").text
    assert 'shop_orders_total{payment="card"} 1\n' in exposition
    assert 'shop_orders_total{payment="invoice"} 0\n' in exposition, "a prepared child starts at 0"
    assert lint(exposition) == []
    assert running.stop() == 0
    lines = (EXAMPLES / "ServeCounters/Sources/ServeCounters/main.swift").read_text().splitlines()
    assert len([line for line in lines if line.strip() and not line.startswith("//")]) < 20


def test_read_devices(example, simulator):
    program, url = example("ReadDevices", "read-devices"), simulator().url
    lines = execute(program, url, USERNAME, environment={"WINPOWER_PASSWORD": PASSWORD}, check=True).stdout.splitlines()
    assert lines and all(re.search(r": [\d.]+ W, [\d.]+ %$", line) for line in lines)
    wrong = execute(program, url, USERNAME, environment={"WINPOWER_PASSWORD": "x"})
    assert wrong.returncode == 1 and "(auth)" in wrong.stdout


def test_meter_energy(example, tmp_path):
    program = example("MeterEnergy", "meter-energy")
    # The second run continues the totals of the first.
    for hour, total in ((0, "1000.0 Wh in 3600.0 s"), (1, "2000.0 Wh in 7200.0 s")):
        start = 1_750_000_000 + hour * 3600
        samples = "".join(f"{time} 1000\n" for time in range(start, start + 3601, 10))
        assert execute(program, "totals", stdin=samples, cwd=tmp_path, check=True).stdout.startswith(total)


def test_schedule_and_log(example):
    done = execute(example("ScheduleAndLog", "schedule-and-log"), 200, 1000, check=True)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [record["run"] for record in records[:3]] == [1, 2, 3]


def test_own_settings(example, tmp_path):
    program = example("OwnSettings", "own-settings")
    (tmp_path / "shop.yaml").write_text("server: {timeout: 30s, token: hidden-token}\n")
    found = execute(program, "--port", "8443", cwd=tmp_path, environment={"SHOP_SERVER_TIMEOUT": "20s"}, check=True).stdout
    assert "server.port = 8443 (" in found, "a flag sets the port"
    assert "server.timeout = 20s (" in found, "a variable overrides the file"
    assert "hidden-token" not in found
    wrong = execute(program, "--port", "0", cwd=tmp_path)
    assert wrong.returncode == 64 and "--port" in wrong.stdout


def test_embed_exporter(example, serve, simulator):
    running = serve(example("EmbedExporter", "embed-exporter"), simulator().url, USERNAME,
                    environment={"WINPOWER_PASSWORD": PASSWORD})
    wait_for("its own route has the devices", lambda: re.match("[1-9]", running.get("/page").text))
    exposition = running.get("/metrics").text
    assert "\nwinpower_device_connected{" in exposition, "the exporter's families"
    assert "\npage_visits_total " in exposition, "and the program's own, at the same address"
    assert running.get("/health").text.startswith("{")
    assert lint(exposition) == []
    assert running.stop() == 0


def test_sensor_exporter(example, programs, tmp_path):
    program = example("SensorExporter", "sensor")
    device = tmp_path / "temp"
    device.write_text("21500\n")
    settings = tmp_path / "sensor.yaml"
    settings.write_text(
        "server: {host: 127.0.0.1, port: 0, enable_reload: true, auth: {bearer_token: first}}\n"
        f"sensor: {{device: {device}}}\n")
    assert execute(program, "--config", settings, "--check").returncode == 0
    assert "Usage: sensor [options]" in execute(program, "--help", check=True).stdout
    assert execute(program, "--sensor.interval=0s", "--check").returncode == 2
    running = programs.start("sensor", [program, "--config", settings])
    programs.listening(running)
    assert running.health()["status"] == "ok"
    assert running.get("/metrics").status == 401
    first = {"Authorization": "Bearer first"}
    wait_for("it has measured", lambda: "sensor_celsius 21.5\n" in running.get("/metrics", **first).text)
    settings.write_text(settings.read_text().replace("first", "second"))
    reply = send(running.url + "/-/reload", "PUT", b"", first)
    assert reply.json()["changed"] == ["server.auth.bearer_token"]
    assert running.get("/metrics", **first).status == 401
    assert running.stop() == 0


def test_template(example, serve, tmp_path):
    copy = tmp_path / "Template"
    shutil.copytree(EXAMPLES / "Template", copy)
    manifest = (copy / "Package.swift").read_text()
    by_url = re.compile(r'\.package\(url: "https://\S+/winpower-exporter\.git", from: "\d+\.\d+\.\d+"\)')
    assert len(by_url.findall(manifest)) == 1, "it depends on this package by URL and tag"
    by_path = f'.package(name: "winpower-exporter", path: "{ROOT}")'
    (copy / "Package.swift").write_text(by_url.sub(lambda _: by_path, manifest))
    running = serve(example("Template", "my-exporter", folder=copy))
    exposition = running.get("/metrics").text
    assert '\nroom_temperature_celsius{room="hall"} 21.5\n' in exposition
    assert 'my_exporter_requests_total{code="200",handler="metrics"}' in exposition
    assert lint(exposition) == []
    assert running.stop() == 0


@pytest.mark.needs("prometheus-pushgateway")
def test_node_example(example, serve, pushgateway):
    gateway = pushgateway()
    running = serve(example("NodeExample", "node-example"), gateway.url)
    group = f'instance="127.0.0.1:{running.port}",job="node-example"'
    reply = running.get("/metrics")
    assert reply.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    for sample in (
        'node_load{minutes="15"} ',
        'node_requests_total{code="200",handler="metrics"} 1\n',
        'node_request_duration_seconds_bucket{handler="metrics",le="+Inf"} 1\n',
        'node_scrapes_in_flight{role="example"} 1\n',
        'node_exposition_bytes{quantile="0.5"} ',
        "process_cpu_seconds_total ",
    ):
        assert f"\n{sample}" in reply.text
    assert lint(reply.text) == []
    reply = running.get("/metrics", Accept="application/openmetrics-text; version=1.0.0")
    assert reply.headers["Content-Type"].startswith("application/openmetrics-text") and reply.text.endswith("# EOF\n")
    pushed = wait_for("its group is in the gateway", lambda: group in (text := get(gateway.url + "/metrics").text) and text)
    assert f'node_scrapes_in_flight{{{group},role="example"}} 0' in pushed
    assert running.stop() == 0
    assert group not in get(gateway.url + "/metrics").text, "the gateway forgets the group"


def test_gateway_simulator(example, serve):
    running = serve(example("GatewaySimulator", "gateway-simulator"), 100)
    exposition = wait_for("charge points connect", lambda: (
        "\ngateway_active_connections 0\n" not in (text := running.get("/metrics").text) and text))
    assert 'gateway_messages_received_total{message_type="Heartbeat",ocpp_version="1.6"} ' in exposition
    assert 'gateway_events_published_total{status="failed"} ' in exposition
    assert ('gateway_message_processing_duration_seconds_bucket{message_type="Heartbeat",status="timeout",le="+Inf"} '
            in exposition)
    assert lint(exposition) == []
    assert running.stop() == 0
