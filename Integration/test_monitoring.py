# SPDX-License-Identifier: MIT
"""The monitoring stack with Debian's programs, started by `start-monitoring.sh --native`, with live series: simulated
UPSes in four states behind four exporters, a simulated gateway, Redis, and this machine. cAdvisor and Kafka are
replaced with recorded expositions."""

import json
import math
import re
import socket
from types import SimpleNamespace

import pytest

from support.peers import MailServer, Recorded, Webhook
from support.programs import ROOT, execute
from support.prometheus import Queries
from support.waiting import wait_for
from support.web import get, send

DASHBOARDS = sorted((ROOT / "monitoring/grafana/dashboards").glob("*.json"))
PORTS = ("PROMETHEUS", "ALERTMANAGER", "NODE_EXPORTER", "REDIS_EXPORTER", "PUSHGATEWAY")

pytestmark = pytest.mark.needs(
    "prometheus", "prometheus-alertmanager", "prometheus-node-exporter", "prometheus-pushgateway", "prometheus-redis-exporter",
    "redis-server", "redis-tools")


def native(environment):
    """Runs start-monitoring.sh --native."""
    return lambda *arguments, **options: execute(
        ROOT / "monitoring/start-monitoring.sh", "--native", *arguments, environment=environment, timeout=180, **options)


@pytest.fixture(scope="module")
def stack(shared_programs, example):
    """The running stack with everything that it monitors. Tests leave it unchanged."""
    programs, webhook, mail = shared_programs, Webhook(), MailServer()
    gateway = example("GatewaySimulator", "gateway-simulator")
    recorded = {name: Recorded(ROOT / "Tests/MonitoringFixtures" / f"{name}.prom").target for name in ("cadvisor", "kafka")}
    redis_port, gateway_port = programs.port(), programs.port()
    redis = programs.start("redis", ["redis-server", "--port", redis_port, "--bind", "127.0.0.1", "--save", ""])
    redis.wait_for("Redis answers", lambda: execute("redis-cli", "-p", redis_port, "set", "a", "b").stdout == "OK\n")
    programs.start("gateway", [gateway, gateway_port])
    targets, battery = {}, programs.port()
    for name, scenario, devices in (
        ("fleet", "normal", 25), ("battery", "on-battery", 3), ("alarm", "alarm", 2), ("phases", "three-phase", 2)):
        simulator = programs.simulator("--devices", devices, "--scenario", scenario, port=battery if name == "battery" else 0)
        targets[name] = f"127.0.0.1:{programs.exporter(programs.settings(simulator, name=name)).port}"
        if name == "battery":
            on_battery = simulator
    agent = f"127.0.0.1:{programs.node().port}"
    ports = {f"{name}_PORT": str(programs.port()) for name in PORTS}
    run = native({
        **ports, "MONITORING_HOME": str(programs.directory / "native"), "NATIVE_INTERVAL": "1s", "NATIVE_WEBHOOK": webhook.url,
        "NATIVE_SMTP": mail.address, "REDIS_ADDR": f"redis://127.0.0.1:{redis_port}",
        "NATIVE_TARGETS": f"winpower={','.join(targets.values())} gateway=127.0.0.1:{gateway_port} "
                          f"cadvisor={recorded['cadvisor']} kafka={recorded['kafka']} "
                          f"node=127.0.0.1:{ports['NODE_EXPORTER_PORT']},{agent}"})
    try:
        started = run("start", check=True).stdout
        prometheus = Queries(f"http://127.0.0.1:{ports['PROMETHEUS_PORT']}")
        wait_for("all targets are up", lambda: len(prometheus.query("up == 1")) == 13 and not prometheus.query("up == 0"))
        yield SimpleNamespace(run=run, started=started, ports=ports, prometheus=prometheus, webhook=webhook, mail=mail, agent=agent,
                              targets=targets, on_battery=on_battery)
    finally:
        run("stop")


@pytest.fixture
def on_mains(stack, shared_programs):
    """Restores the mains of the UPSes on battery until the end of the test."""

    def replace(scenario):
        port = stack.on_battery.port
        stack.on_battery.stop()
        stack.on_battery = shared_programs.simulator("--devices", 3, "--scenario", scenario, port=port)

    yield lambda: replace("normal")
    replace("on-battery")


def test_it_prints_its_addresses_and_is_healthy(stack):
    assert f"http://localhost:{stack.ports['PROMETHEUS_PORT']}" in stack.started
    wait_for("all five are healthy", lambda: stack.run("status").stdout.count("healthy") == 5)
    assert "level=" in stack.run("logs", "prometheus").stdout


def test_a_second_start_is_rejected(stack):
    done = stack.run("start")
    assert done.returncode == 1 and "is already running" in done.stderr


def test_it_stops_and_starts_again_with_its_data(stack):
    energy = "max_over_time(site:winpower_load_watts:sum[5m])"
    wait_for("there is data", lambda: stack.prometheus.query(energy))
    stack.run("restart", check=True)
    assert stack.prometheus.query(energy)
    try:
        stack.run("stop", check=True)
        assert stack.run("status").stdout.count("stopped") == 5
    finally:
        stack.run("start", check=True)
    wait_for("all targets are up", lambda: len(stack.prometheus.query("up == 1")) == 13)


def test_a_port_in_use_is_reported_before_anything_starts(programs, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ports = {f"{name}_PORT": str(programs.port()) for name in PORTS}
        run = native({**ports, "PROMETHEUS_PORT": str(taken.getsockname()[1]), "MONITORING_HOME": str(tmp_path / "native")})
        done = run("start")
        assert done.returncode == 1 and "(prometheus)" in done.stderr
        assert "healthy" not in run("status").stdout


def filled(expression, variables=(), instance=".+"):
    """An expression with the variables of a dashboard filled in as Grafana does: "All", or their values."""
    for name, value in (("job", ".+"), ("instance", instance), ("device", ".+")):
        expression = expression.replace(f"${name}", value)
    for entry in variables:
        if entry["type"] in ("custom", "textbox"):
            value = entry["current"]["value"]
            expression = expression.replace(f"${entry['name']}", value if isinstance(value, str) else f"({'|'.join(value)})")
    return expression.replace("$__rate_interval", "15s").replace("$__range", "1h")


def wait_for_panels(prometheus, path, instance=".+"):
    """Waits until all queries of a dashboard return data."""
    dashboard, pending = json.loads(path.read_text()), {}
    variables = dashboard["templating"]["list"]
    for entry in variables:
        if entry["type"] == "query":
            metric, label = re.fullmatch(r"label_values\((.+), (\w+)\)", filled(entry["definition"])).groups()
            pending[f"variable {entry['name']}"] = lambda metric=metric, label=label: prometheus.label_values(label, metric)
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            expression = filled(target["expr"], variables, instance)
            pending[f"{panel['title']} {target['refId']}: {expression}"] = lambda expression=expression: [
                series for series in prometheus.query(expression) if not math.isnan(float(series["value"][1]))]

    def without_data():
        for name in [name for name, probe in pending.items() if probe()]:
            del pending[name]
        assert not pending, f"no data: {sorted(pending)}"
        return True

    wait_for(f"the queries of {path.name} have data", without_data, deadline=120)


@pytest.mark.parametrize("path", DASHBOARDS, ids=lambda path: path.stem)
def test_every_query_of_a_dashboard_has_data(stack, path):
    wait_for_panels(stack.prometheus, path)


def test_the_host_dashboard_has_data_of_the_agent(stack):
    wait_for_panels(stack.prometheus, ROOT / "monitoring/grafana/dashboards/host.json", instance=stack.agent)


def test_every_rule_is_evaluated_without_an_error(stack):
    def rules():
        groups = get(stack.prometheus.url + "/api/v1/rules").json()["data"]["groups"]
        return [rule for group in groups for rule in group["rules"]]

    wait_for("all are evaluated", lambda: all(rule["health"] != "unknown" for rule in rules()))
    assert [rule["name"] for rule in rules() if rule["health"] != "ok"] == []


def test_an_alert_reaches_the_webhook_and_resolves(stack, on_mains):
    found = wait_for("the webhook receives the alert of a UPS on battery",
                     lambda: stack.webhook.find("firing", alertname="UPSOnBattery", scope="device"), deadline=120)[-1]
    name = found["labels"]["device_name"]
    assert name in found["annotations"]["summary"] and found["labels"]["site"] == "main"

    def resolved():
        return len(stack.webhook.find("resolved", alertname="UPSOnBattery", device_name=name))

    alerts = f"http://127.0.0.1:{stack.ports['ALERTMANAGER_PORT']}/api/v2/alerts?filter=alertname%3D%22UPSOnBattery%22"
    # Another test restarts the stack, after which Alertmanager has forgotten its alerts: it reports only the end of those
    # sent since then.
    wait_for("Alertmanager has the alert", lambda: [one for one in get(alerts).json() if one["labels"]["device_name"] == name])
    before = resolved()
    on_mains()

    def was_notified():
        # The state of the alert in Alertmanager explains a missing message: active, inhibited, or unknown.
        assert resolved() > before, get(alerts).text
        return True

    wait_for("the webhook receives the resolved alert", was_notified, deadline=120)


def test_a_critical_alert_arrives_as_mail(stack):
    wait_for("the mail arrives", lambda: any("UPSFault" in text for text in stack.mail.messages), deadline=120)


def test_the_dead_mans_switch_arrives(stack):
    # The alert fired before Prometheus discovered Alertmanager, and is sent again after a minute.
    wait_for("it arrives", lambda: stack.webhook.find("firing", alertname="DeadMansSwitch"), deadline=120)


def test_device_alerts_are_inhibited_while_their_winpower_is_down(stack):
    url = f"http://127.0.0.1:{stack.ports['ALERTMANAGER_PORT']}/api/v2/alerts"
    for labels in ({"alertname": "WinPowerUpstreamDown", "scope": "exporter"},
                   {"alertname": "UPSDisconnected", "scope": "device", "device_id": "1"}):
        posted = [{"labels": {"instance": "silent:9090", "site": "main", "severity": "info", **labels}}]
        assert send(url, "POST", posted, {"Content-Type": "application/json"}).status == 200

    def states():
        alerts = get(url + "?filter=instance%3D%22silent%3A9090%22").json()
        return {alert["labels"]["alertname"]: alert["status"]["state"] for alert in alerts}

    wait_for("the device's alert is suppressed",
             lambda: states() == {"WinPowerUpstreamDown": "active", "UPSDisconnected": "suppressed"})


@pytest.mark.needs("victoria-metrics")
def test_the_federation_and_remote_write_examples_run(stack, programs):
    victoria_port = programs.port()
    programs.start("victoria", [
        "victoria-metrics", f"-httpListenAddr=127.0.0.1:{victoria_port}", f"-storageDataPath={programs.directory}/victoria-data",
        "-search.latencyOffset=0s"])
    victoria = Queries(f"http://127.0.0.1:{victoria_port}")
    wait_for("VictoriaMetrics is ready", lambda: get(victoria.url + "/health").status == 200)

    def written(name, replacements):
        text = (ROOT / "monitoring/examples" / name).read_text()
        for old, new in replacements.items():
            assert old in text
            text = text.replace(old, new)
        return text

    central = programs.prometheus(written("federation.yml", {
        "scrape_interval: 60s": "scrape_interval: 1s\n  scrape_timeout: 1s",
        '"prometheus.site-a.example.com:9090", "prometheus.site-b.example.com:9090"': f'"{stack.prometheus.url[7:]}"',
    }), name="central", arguments=["--web.enable-remote-write-receiver"])
    programs.prometheus(written("remote-write.yml", {
        "scrape_interval: 15s": "scrape_interval: 1s\n  scrape_timeout: 1s",
        "victoria.example.com:8428": f"127.0.0.1:{victoria_port}",
        "prometheus.example.com:9090": central.url.removeprefix("http://"),
        "exporter-host:9877": stack.targets["fleet"],
    }), name="site")
    question = 'winpower_device_load_total_watts{region="site-a"}'
    wait_for("VictoriaMetrics has the devices of site-a", lambda: len(victoria.query(question)) == 25)
    wait_for("the central Prometheus has them by remote write", lambda: len(central.query(question)) == 25)
    wait_for("it has the sites' recorded series by federation", lambda: central.query("site:winpower_load_watts:sum"))
    assert not central.query('winpower_device_load_total_watts{region=""}'), "other samples are not sent"
