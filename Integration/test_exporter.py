# SPDX-License-Identifier: MIT
"""The release binary against the simulator, run as a user would run it."""

import json
import signal
import socket
import urllib.parse

import pytest

from support.programs import SCRAPE, execute
from support.waiting import median_seconds, wait_for
from support.web import get, send

DEVICES = 25  # more than one page of the simulator's API
# The only documented name that promtool's linter reports.
LINT_EXCEPTION = "winpower_exporter_device_count"
ENERGY = "winpower_device_energy_joules_total{"

pytestmark = pytest.mark.fast


def has(exporter, prefix):
    """The samples whose series start with this prefix."""
    return {series: value for series, value in exporter.metrics().items() if series.startswith(prefix)}


@pytest.fixture(scope="module")
def upstream(shared_programs):
    # The load of this scenario is constant, so energy is exactly power times the metered time.
    return shared_programs.simulator("--devices", DEVICES, "--scenario", "steady")


@pytest.fixture(scope="module")
def config(shared_programs, upstream):
    return shared_programs.settings(upstream)


@pytest.fixture(scope="module")
def running(shared_programs, config):
    """A read-only exporter shared by the tests of this file; it has collected its devices."""
    exporter = shared_programs.exporter(config)
    wait_for("device metrics appear", lambda: has(exporter, "winpower_device_connected{"))
    return exporter


@pytest.fixture
def beside(shared_programs, running, config):
    """Runs a wpexporter command with the running exporter's settings."""
    return lambda *arguments, **options: shared_programs.run(*arguments, "--config", config, **options)


@pytest.fixture(scope="module")
def scraping(shared_programs, running):
    """A Prometheus that has scraped the exporter for several cycles."""
    target = running.url.removeprefix("http://")
    prometheus = shared_programs.prometheus(f"""\
global: {{scrape_interval: 1s, scrape_timeout: 900ms}}
scrape_configs:
  - job_name: winpower
    static_configs: [{{targets: ["{target}"]}}]
""")
    wait_for("Prometheus has scraped for some cycles", lambda: prometheus.number("count_over_time(up[1m])") >= 5)
    return prometheus


def test_a_missing_password_is_a_configuration_error(wpexporter, config):
    done = wpexporter("server", "--config", config)
    assert done.returncode == 2
    assert "winpower.password" in done.stderr


def test_check_config_accepts_the_settings_and_shows_no_password(wpexporter, config):
    done = wpexporter("check-config", "--config", config, environment={"WINPOWER_EXPORTER_WINPOWER_PASSWORD": "s3cret"})
    assert done.returncode == 0
    assert "s3cret" not in done.stdout + done.stderr


@pytest.mark.needs("prometheus")
def test_promtool_accepts_the_exposition(running):
    reply = running.get("/metrics")
    assert reply.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    done = execute("promtool", "check", "metrics", stdin=reply.text)
    assert [line for line in (done.stdout + done.stderr).splitlines() if line and LINT_EXCEPTION not in line] == []


def test_health_is_ok_with_all_devices(running, wpexporter):
    health = running.health()
    assert health["status"] == "ok" and health["collector"]["devices"] == DEVICES
    assert wpexporter("healthcheck", "--url", running.url + "/health").returncode == 0


def test_the_page_is_served_and_other_paths_return_404_as_json(running):
    assert "winpower" in running.get("/").text.lower()
    reply = running.get("/nothing")
    assert reply.status == 404 and reply.json()["error"] == "not_found"


def test_a_second_exporter_on_the_same_data_directory_names_the_first(beside, running):
    done = beside("server", environment={"WINPOWER_EXPORTER_WINPOWER_PASSWORD": "simulator"})
    assert done.returncode == 1
    assert str(running.pid) in done.stderr


def test_energy_reads_beside_a_running_exporter(beside, tmp_path):
    devices = json.loads(beside("energy", "list", "--format", "json").stdout)["devices"]
    assert len(devices) == DEVICES
    device = devices[0]["device"]
    assert device in beside("energy", "show", device).stdout
    assert beside("energy", "export", "--output", tmp_path / "energy.json").returncode == 0


@pytest.mark.parametrize("command", ["set DEVICE 5", "reset DEVICE", "import BACKUP"])
def test_energy_does_not_write_beside_a_running_exporter(beside, running, tmp_path, command):
    device = json.loads(beside("energy", "list", "--format", "json").stdout)["devices"][0]["device"]
    backup = tmp_path / "energy.json"
    assert beside("energy", "export", "--output", backup).returncode == 0
    done = beside("energy", *command.replace("DEVICE", device).replace("BACKUP", str(backup)).split())
    assert done.returncode == 1
    assert str(running.pid) in done.stderr


def test_energy_set_rejects_an_invalid_number(beside):
    device = json.loads(beside("energy", "list", "--format", "json").stdout)["devices"][0]["device"]
    assert beside("energy", "set", device, "much").returncode == 2


def test_energy_writes_without_a_running_exporter(simulator, settings, exporter, wpexporter, tmp_path):
    config = settings(simulator("--devices", 2, "--scenario", "steady"))
    running = exporter(config)
    wait_for("energy is metered", lambda: has(running, ENERGY))
    assert running.stop() == 0

    def energy(*arguments):
        return wpexporter("energy", *arguments, "--config", config, check=True).stdout

    device = json.loads(energy("list", "--format", "json"))["devices"][0]["device"]
    energy("export", "--output", tmp_path / "energy.json")
    energy("set", device, "12.5", "--reason", "meter reading")
    assert json.loads(energy("show", device, "--format", "json"))["devices"][0]["watt_hours"] == 12.5
    assert '"reason":"meter reading"' in (tmp_path / "data-config" / "energy.audit.log").read_text()
    energy("import", tmp_path / "energy.json")
    assert json.loads(energy("show", device, "--format", "json"))["devices"][0]["watt_hours"] != 12.5


def test_an_outage_is_shown_and_logged_once_and_ends_by_itself(simulator, settings, exporter, free_port):
    port = free_port()
    options = ("--devices", DEVICES, "--scenario", "steady")
    upstream = simulator(*options, port=port)
    running = exporter(settings(upstream, winpower={"timeout": "4s", "api_timeout": "2s"}))
    wait_for("devices are read", lambda: has(running, ENERGY))
    upstream.stop()
    wait_for("the connection is down", lambda: running.metrics()["winpower_connection_status"] == 0)
    assert running.metrics()['winpower_exporter_scrape_errors_total{reason="connect"}'] >= 1
    reply = running.get("/health")
    assert reply.status == 200 and reply.json()["status"] == "degraded"
    wait_for("device gauges disappear", lambda: not has(running, "winpower_device_load_total_watts{"))
    assert has(running, "winpower_device_cumulative_energy{"), "energy totals remain"
    assert median_seconds(lambda: running.get("/metrics")) < SCRAPE
    simulator(*options, port=port)
    wait_for("it recovers", lambda: has(running, "winpower_device_load_total_watts{"))
    wait_for("the recovery is logged", lambda: "Collection recovered" in running.messages())
    messages = running.messages()
    assert messages.count("Collection failed") == 1
    assert messages.count("Collection recovered") == 1


def test_a_scrape_does_not_wait_for_a_hanging_server(settings, exporter):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        running = exporter(settings(winpower={
            "base_url": address, "username": "admin", "timeout": "100s", "api_timeout": "100s"}))
        with server.accept()[0] as connection:
            assert connection.recv(1) != b"", "the exporter awaits a reply"
            assert running.get("/metrics").status == 200
            assert median_seconds(lambda: running.get("/metrics")) < SCRAPE
            assert running.get("/health").status in (200, 503)


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_totals_survive_the_end_of_the_process(simulator, settings, exporter, end):
    config = settings(simulator("--devices", 5, "--scenario", "steady"))
    first = exporter(config)
    wait_for("totals grow", lambda: all(has(first, ENERGY).values()) and has(first, ENERGY))
    before = has(first, ENERGY)
    assert first.stop(end) == (-end if end == signal.SIGKILL else 0)
    second = exporter(config)
    wait_for("totals appear", lambda: has(second, ENERGY))
    after = has(second, ENERGY)
    # Every total in a scrape has been saved before, but with more digits than the exposition has.
    assert all(after[series] >= value - 1e-9 for series, value in before.items())


@pytest.mark.parametrize(
    "trust, verifies, status",
    [({}, True, 0), ({"skip_ssl_verify": True}, False, 1), ({"ca_file": "tls/authority.pem"}, True, 1)],
    ids=["unknown authority", "skip_ssl_verify", "ca_file"],
)
def test_certificates_of_the_server_are_verified(simulator, settings, exporter, tmp_path, trust, verifies, status):
    upstream = simulator("--devices", 2, "--scenario", "steady", "--tls", tmp_path / "tls")
    if "ca_file" in trust:
        trust = {"ca_file": str(tmp_path / trust["ca_file"])}
    running = exporter(settings(upstream, winpower=trust))
    if status:
        wait_for("it is connected", lambda: running.metrics()["winpower_connection_status"] == 1)
    else:
        wait_for("the error is counted", lambda: running.metrics()['winpower_exporter_scrape_errors_total{reason="tls"}'] >= 1)
        assert running.metrics()["winpower_connection_status"] == 0
    assert running.metrics()["winpower_exporter_tls_verification_disabled"] == (not verifies)
    assert running.stop() == 0


@pytest.mark.needs("prometheus")
def test_prometheus_scrapes_the_whole_catalogue(scraping):
    for gauge in ('up{job="winpower"}', "winpower_exporter_up", "winpower_connection_status", "winpower_auth_status"):
        assert scraping.number(gauge) == 1, gauge
    assert scraping.number("winpower_exporter_device_count") == DEVICES, "behind a page cap of 20"
    assert scraping.number("count(winpower_device_load_total_watts)") == DEVICES
    assert scraping.number("sum(scrape_samples_scraped)") > DEVICES * 20


def api_devices(url):
    """Reads the simulator like any other client of the WinPower API."""
    login = send(url + "/api/v1/auth/login", "POST", {"username": "admin", "password": "simulator"},
                 {"Content-Type": "application/json"})
    token, found, page = login.json()["data"]["token"], [], 1
    while True:
        query = urllib.parse.urlencode({"current": page, "pageNum": page, "pageSize": 100, "includeSubArea": "true"})
        reply = get(f"{url}/api/v1/deviceData/detail/list?{query}", Authorization=f"Bearer {token}").json()
        found += reply["data"]
        if len(found) >= reply["total"] or not reply["data"]:
            return found
        page += 1


@pytest.mark.needs("prometheus")
def test_prometheus_matches_another_client_of_the_server(scraping, upstream):
    devices = api_devices(upstream.url)
    assert len(devices) == DEVICES
    for metric, group, field in (
        ("winpower_device_rated_va", "config", "ratingVa"),
        ("winpower_device_load_total_watts", "realtime", "loadTotalWatt"),
        ("winpower_device_output_frequency", "realtime", "outputFreq"),
        ("winpower_device_ups_mode", "realtime", "mode"),
    ):
        seen = {result["metric"]["device_id"]: float(result["value"][1]) for result in scraping.query(metric)}
        assert seen == {device["assetDevice"]["id"]: float(device[group][field]) for device in devices}, metric
    names = {result["metric"]["device_name"] for result in scraping.query("winpower_device_connected")}
    assert names == {device["assetDevice"]["alias"] for device in devices}


@pytest.mark.needs("prometheus")
def test_energy_is_the_integral_of_power(scraping):
    error = scraping.number(
        "max(abs(winpower_device_energy_joules_total"
        " - on(device_id) winpower_device_load_total_watts * on(device_id) winpower_device_energy_metered_seconds_total))"
    )
    assert error < 1e-3
    assert scraping.number("min(delta(winpower_device_energy_joules_total[30s]))") > 0, "every device's energy grows"
    difference = scraping.number(
        "max(abs(winpower_device_cumulative_energy * 3600 - on(device_id) winpower_device_energy_joules_total))")
    assert difference < 1e-6, "watt-hours and joules are the same sum"


def test_demo_reads_its_own_simulator(wpexporter):
    done = wpexporter("demo", "--cycles", "2", "--no-history", check=True)
    assert "cycle 2: 5 devices" in done.stdout
