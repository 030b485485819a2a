# SPDX-License-Identifier: MIT
"""The hub, its history and its API, used by third-party programs; and two hubs that share a PostgreSQL database."""

import concurrent.futures
import datetime
import gzip
import json
import re
import signal
import socket
import sqlite3
import time
import urllib.parse

import pytest

from support.postgres import PASSWORD
from support.programs import ROOT, execute
from support.waiting import median_seconds, wait_for
from support.web import send

SCHEMATHESIS = "schemathesis==4.32.5"
TOKEN = "a-token-of-the-hub"
NODES = "clusters/default/node-metrics"
UPSES = "clusters/default/ups"
QUICK = ("--history.interval", "1s")


def stamp(offset=0.0):
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=offset)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def snapshot(name, offset=0.0, cpu=50.0, **more):
    return {"node_name": name, "timestamp": stamp(offset), "cpu": {"usage_percent": cpu, "load_1": 0.5}, **more}


def post(hub, body, path="/metrics/node", **headers):
    return send(hub.url + path, "POST", body, {"Content-Type": "application/json", **headers})


def report(hub, *arguments, **values):
    """Reports a node's snapshot; returns the hub's response."""
    reply = post(hub, snapshot(*arguments, **values))
    assert reply.status == 200, reply.text
    return reply.json()


def api(program, path):
    reply = program.get(f"/api/v2/{path}")
    assert reply.status == 200, f"{path}: {reply.status} {reply.text[:300]}"
    return reply.json()


def history(hub, node):
    return api(hub, f"{NODES}/{node}/history?hours=1")["history"]


@pytest.mark.fast
def test_a_report_is_visible_immediately(hub):
    running = hub()
    assert report(running, "a", cpu=12.5)["status"] == "ok"
    found = api(running, NODES)
    assert found["nodes"]["a"]["cpu"]["usage_percent"] == 12.5
    assert found["summary"]["total_nodes"] == found["summary"]["online_nodes"] == 1
    reply = running.get(f"/api/v2/{NODES}/nobody")
    assert (reply.status, reply.json()) == (404, {"error": "node not found"})


@pytest.mark.fast
def test_a_name_may_contain_any_characters(hub):
    running, name = hub(), "机房/ä b?#%2F"
    report(running, name)
    assert api(running, f"{NODES}/{urllib.parse.quote(name, safe='')}")["node_name"] == name


@pytest.mark.fast
def test_older_formats_and_paths_are_accepted(hub):
    running = hub()
    post(running, {"node_name": "older", "timestamp": stamp(), "cpu": {"usage_percent": 1, "load_avg_1": 3}, "top_processes": []})
    assert api(running, f"{NODES}/older")["cpu"]["load_1"] == 3
    assert running.get("/system/metrics").body == running.get("/").body


@pytest.mark.fast
def test_bad_reports_are_rejected_and_counted(hub):
    running = hub()
    for body, status in [
        (b"{", 400),
        (b"", 400),
        (b"[]", 400),
        ({"timestamp": stamp()}, 400),
        (snapshot("a\nb"), 400),
        (b"[" * 200_000, 400),
        (snapshot("past", -40 * 86400), 422),
        (b" " * ((1 << 20) + 1), 413),
    ]:
        reply = post(running, body)
        assert (reply.status, bool(reply.json()["error"])) == (status, True), body[:40] if isinstance(body, bytes) else body
    reply = running.get("/metrics/node")
    assert reply.status == 405 and reply.json()["error"]
    assert api(running, NODES)["nodes"] == {}, "nothing is stored"
    metrics = running.metrics()
    assert metrics['winpower_hub_reports_refused_total{reason="malformed"}'] == 5
    assert metrics['winpower_hub_reports_refused_total{reason="expired"}'] == 1
    assert metrics['winpower_hub_reports_refused_total{reason="too_large"}'] == 1


@pytest.mark.fast
def test_a_slow_sender_delays_nobody(hub):
    running = hub()
    with socket.create_connection(("127.0.0.1", running.port)) as slow:
        slow.sendall(b"POST /metrics/node HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                     b"Content-Length: 1000\r\n\r\n{")
        assert median_seconds(lambda: report(running, "quick")) < 1
        slow.sendall(b" ")


def test_200_concurrent_reports_are_all_accepted_and_served_compressed(hub):
    running = hub()
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda number: report(running, f"many-{number}"), range(200)))
    reply = running.get("/api/v2/" + NODES, **{"Accept-Encoding": "gzip"})
    assert reply.headers["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(reply.body))["summary"]["total_nodes"] == 200


@pytest.mark.fast
@pytest.mark.parametrize("headers, read, written", [
    ({"Host": "evil.example"}, 403, 403),
    ({"Host": "localhost:1"}, 200, 200),
    ({"Origin": "http://evil.example"}, 200, 403),
    ({"Sec-Fetch-Site": "cross-site"}, 200, 403),
    ({"Content-Type": "text/plain"}, 200, 415),
], ids=lambda value: next(iter(value.items()))[1] if isinstance(value, dict) else "")
def test_cross_site_requests_are_rejected(hub, headers, read, written):
    running = hub()
    assert running.get("/metrics", **headers).status == read
    assert post(running, snapshot("page"), **headers).status == written


def test_buffered_reports_become_a_history(hub):
    running = hub(*QUICK)
    waited = [snapshot("late", -age, cpu=age / 10) for age in range(600, -1, -60)]
    for one in waited:
        assert post(running, one).status == 200
    points = history(running, "late")
    assert [point["cpu_usage"] for point in points] == [age / 10 for age in range(600, -1, -60)]
    assert post(running, waited[5]).json()["duplicates"] == 1, "a repeat is ignored"
    days = api(running, f"{NODES}/late/history?hours=1&step=1d")["history"]
    assert sum(point["samples"] for point in days) == 11
    assert min(point["cpu_usage_min"] for point in days) == 0 and max(point["cpu_usage_max"] for point in days) == 60
    path = f"/api/v2/{NODES}/late/history?from=0&to={int(time.time()) // 100 * 100}"
    reply = running.get(path, Accept="text/csv")
    assert reply.headers["Content-Type"].startswith("text/csv") and reply.body.startswith(b"timestamp,samples,cpu_usage,")
    assert running.get(path, **{"If-None-Match": running.get(path).headers["ETag"]}).status == 304


@pytest.fixture
def recorded(hub, wpexporter, tmp_path):
    """A hub that has saved five points of the node `a`, its data directory, and its history as JSON."""
    running = hub(*QUICK)
    for age in range(4, -1, -1):
        report(running, "a", -age, cpu=42)

    def saved():
        # A point is saved shortly after its second ends; until then it is only in memory.
        done = wpexporter("history", "stats", "--data-dir", tmp_path / "hub")
        return done.returncode == 0 and json.loads(done.stdout)["points"] == 5

    wait_for("every point is saved", saved)
    return running, tmp_path / "hub"


@pytest.mark.fast
def test_saved_data_survives_a_kill(recorded, hub):
    running, _ = recorded
    before = history(running, "a")
    running.stop(signal.SIGKILL)
    running = hub(*QUICK)
    assert history(running, "a") == before and len(before) == 5
    assert api(running, f"{NODES}/a")["state"] == "offline", "it has not reported since"
    report(running, "a")
    assert api(running, f"{NODES}/a")["state"] == "online"


def test_a_history_is_inspected_and_backed_up_while_the_hub_runs(recorded, wpexporter, tmp_path):
    running, data = recorded
    stats = json.loads(wpexporter("history", "stats", "--data-dir", data, check=True).stdout)
    assert stats["subjects"] >= 1 and stats["points"] == 5
    wpexporter("history", "backup", tmp_path / "copy.db", "--data-dir", data, check=True)
    with sqlite3.connect(tmp_path / "copy.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("SELECT count(*) FROM bucket").fetchone() == (5,)


def test_the_last_point_is_saved_at_shutdown(recorded, wpexporter):
    running, data = recorded
    report(running, "a", cpu=43)
    assert running.stop() == 0
    lines = wpexporter("history", "export", "--data-dir", data, check=True).stdout.splitlines()
    assert len(lines) == 6 and json.loads(lines[0])["name"] == "a" and json.loads(lines[-1])["cpu_usage"] == 43
    wpexporter("history", "vacuum", "--data-dir", data, check=True)


def test_a_damaged_history_is_renamed_and_replaced(recorded, hub):
    running, data = recorded
    running.stop()
    content = bytearray((data / "history.db").read_bytes())
    content[4096:] = b"\x5a" * (len(content) - 4096)
    (data / "history.db").write_bytes(content)
    running = hub(*QUICK)
    report(running, "b")
    running.wait_for_record("The history is damaged; a new one was created")
    assert list(data.glob("history.db.damaged-*"))
    wait_for("it is replaced", lambda: running.health()["status"] == "ok")


def test_a_full_disk_degrades_health_but_not_serving(programs, binary):
    running = programs.start("hub", ["bash", "-c", 'ulimit -f 200; exec "$@"', "limited", binary, "hub", "--host", "127.0.0.1",
                                     "--port", "0", "--data-dir", programs.directory / "hub", *QUICK])
    programs.listening(running)

    def is_degraded():
        for number in range(300):
            report(running, f"{number}-" + "x" * 240, cpu=number, os="y" * 2000)
        return running.health()["status"] == "degraded"

    wait_for("health is degraded", is_degraded)
    assert api(running, NODES)["summary"]["total_nodes"] == 300
    assert running.metrics()["winpower_hub_history_write_failures_total"] > 0


@pytest.mark.fast
def test_without_a_token_only_loopback_is_served(wpexporter):
    done = wpexporter("hub", "--host", "0.0.0.0", "--port", "0", "--data-dir", "data")
    assert done.returncode == 2 and "hub.token" in done.stderr


@pytest.mark.fast
def test_a_token_protects_reports_and_api(programs):
    running = programs.serve("hub", "hub", "--host", "0.0.0.0", "--port", "0", "--data-dir", "data",
                             environment={"WINPOWER_EXPORTER_HUB_TOKEN": TOKEN})
    running.url = f"http://127.0.0.1:{running.port}"
    right = {"Authorization": f"Bearer {TOKEN}"}
    assert post(running, snapshot("a")).status == 401
    reply = post(running, snapshot("a"), Authorization="Bearer wrong")
    assert reply.status == 401 and reply.json()["error"]
    assert post(running, snapshot("a"), **right).status == 200
    assert running.get("/api/v2/clusters").status == 401
    assert running.get("/api/v2/clusters", **right).status == 200
    assert running.get("/health").status == 200, "health needs no token"
    assert TOKEN not in running.text()


@pytest.mark.fast
def test_tokens_for_reports_do_not_grant_access_to_the_api(wpexporter, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text("node rack 1 token-of-rack-one\n")
    done = wpexporter("hub", "--host", "0.0.0.0", "--port", "0", "--data-dir", "data", "--hub.tokens-file", tokens)
    assert done.returncode == 2 and "could read" in done.stderr


@pytest.mark.fast
def test_each_sender_has_a_token_and_a_reload_applies_new_ones(hub, tmp_path):
    tokens, config = tmp_path / "tokens", tmp_path / "config.yaml"
    tokens.write_text("node rack 1 token-of-rack-one\nsite hq token-of-the-site\n")
    config.write_text("hub: {subject_metrics: 0}\n")
    running = hub("--config", config, "--hub.tokens-file", tokens, "--server.enable-reload", "true")

    def status(body, token=None, path="/metrics/node"):
        return post(running, body, path, **({"Authorization": f"Bearer {token}"} if token else {})).status

    ups = {"site": "hq", "timestamp": stamp(), "devices": [{"id": "u", "read_at": stamp(), "load_watts": 7}]}
    assert status(snapshot("rack 1"), "token-of-rack-one") == 200
    assert status(snapshot("rack 2"), "token-of-rack-one") == 403, "a token is valid for one name only"
    assert status(snapshot("rack 1")) == 401
    assert status(ups, "token-of-the-site", "/metrics/ups") == 200
    assert status({**ups, "site": "other"}, "token-of-the-site", "/metrics/ups") == 403
    assert "winpower_device_" not in running.get("/metrics").text, "subjects have no metrics by default"

    tokens.write_text("node rack 1 another-token-of-rack-one\n")
    config.write_text("hub: {subject_metrics: 10}\n")
    running.send_signal(signal.SIGHUP)
    wait_for("the old token is rejected", lambda: status(snapshot("rack 1"), "token-of-rack-one") == 401)
    assert status(snapshot("rack 1"), "another-token-of-rack-one") == 200
    exposition = running.get("/metrics").text
    assert 'device_id="u",device_name="u",device_type="unknown",site="hq"} 7' in exposition
    assert 'node_load1{node="rack 1"} 0.5' in exposition

    tokens.write_text("node rack 1 short\n")
    reply = send(running.url + "/-/reload", "PUT")
    assert reply.status == 422 and "line 1" in reply.text
    assert status(snapshot("rack 1"), "another-token-of-rack-one") == 200, "the previous tokens remain valid"
    assert "token-of" not in running.text()


@pytest.fixture
def site(simulator, settings, exporter, hub):
    """A hub, and an exporter with a history that reports three UPSes to it."""
    receiving = hub(*QUICK)
    sending = exporter(settings(
        simulator("--devices", 3), energy={"tariff": "0.3", "currency": "CNY"}, history={"interval": "1s"},
        hub={"url": receiving.url, "site": "hq"}))
    wait_for("the hub shows the UPSes", lambda: len(api(receiving, UPSES)["ups"]) == 3)
    return receiving, sending


def test_an_exporter_reports_its_upses_and_serves_their_history(site, tmp_path):
    receiving, sending = site
    assert {device["site"] for device in api(receiving, UPSES)["ups"]} == {"hq"}
    devices = api(sending, UPSES)["ups"]
    assert len(devices) == 3
    path = f"{UPSES}/{devices[0]['id']}"

    def metered():
        energy = api(sending, path + "/energy")["energy"]
        return energy and energy[0]["watt_hours"] > 0.05 and energy[0]

    energy = wait_for("energy is counted", metered)
    assert abs(energy["cost"] - energy["watt_hours"] * 0.3e-3) < 1e-4
    assert api(sending, path + "/energy")["currency"] == "CNY"
    points = wait_for("there is a history", lambda: len(found := api(sending, path + "/history")["history"]) >= 3 and found)
    assert all(point["load_watts_min"] <= point["load_watts"] <= point["load_watts_max"] for point in points)
    assert sending.stop() == 0
    assert (tmp_path / "data-config" / "history.db").exists()


def test_alerts_query_existing_metrics(site):
    _, sending = site
    wait_for("reports are counted", lambda: sending.metrics()["winpower_exporter_hub_reports_sent_total"] >= 1)
    rules = (ROOT / "monitoring/prometheus/rules/hub.yml").read_text()
    named = set(re.findall(r"winpower_(?:hub|exporter)_\w+", rules))
    assert len(named) > 5

    def exist():
        shown = "".join(one.get("/metrics").text for one in site)
        assert named - set(re.findall(r"^# TYPE (\w+) ", shown, re.MULTILINE)) == set()
        return True

    # The history's metrics exist once it is open.
    wait_for("the metrics exist", exist)


def test_without_history_there_is_no_api_and_no_sqlite(simulator, settings, exporter):
    running = exporter(settings(simulator("--devices", 1), history={"enabled": False}))
    assert running.get("/api/v2/clusters").status == 404
    with open(f"/proc/{running.pid}/maps") as maps:
        assert "sqlite" not in maps.read()


@pytest.mark.needs("openssl")
def test_a_report_over_tls_trusts_the_configured_authority(simulator, settings, exporter, hub, certificates):
    certificate, key = certificates.issue("hub")
    receiving = hub("--server.tls.cert-file", certificate, "--server.tls.key-file", key)
    upstream = simulator("--devices", 1)
    sections = {"history": {"enabled": False}, "hub": {"url": receiving.url, "site": "hq"}}
    sending = exporter(settings(upstream, **sections))
    sending.wait_for_record("The hub does not accept reports; they are buffered and thinned")
    sections["hub"]["ca_file"] = certificates.authority
    settings(upstream, **sections)
    sending.send_signal(signal.SIGHUP)
    sending.wait_for_record("The hub accepts reports again")


@pytest.mark.fast
def test_a_bad_hub_url_is_reported_without_its_password(settings, wpexporter):
    config = settings(winpower={"base_url": "http://127.0.0.1:1", "username": "admin", "password": "simulator"},
                      hub={"url": "http://user:word@hub"})
    done = wpexporter("server", "--config", config)
    assert done.returncode == 2 and "hub.url" in done.stderr and "word@" not in done.stderr


@pytest.fixture
def two_hubs(postgres, programs, tmp_path):
    """A PostgreSQL server, two hubs that keep their history in it, and their arguments."""
    database = postgres()
    database.sql("GRANT CREATE ON SCHEMA public TO monitor", "shop")
    (tmp_path / "url").write_text(database.dsn())
    arguments = ("--history.url-file", tmp_path / "url", "--history.interval", "5m")
    return database, [programs.hub(*arguments, data=name) for name in ("one", "two")], arguments


def counted(hub, node):
    """The number of a node's reports in the history of the last two hours."""
    reply = hub.get(f"/api/v2/{NODES}/{node}/history?hours=2")
    return sum(point["samples"] for point in reply.json()["history"]) if reply.status == 200 else 0


@pytest.mark.needs("postgresql", "libpq5")
def test_two_hubs_on_one_postgresql_count_each_report_once(two_hubs):
    _, hubs, _ = two_hubs
    begin = time.time() // 300 * 300 - 3000
    for step in range(120):
        offset = begin + step * 10 - time.time()
        report(hubs[step % 2], "turns", offset, cpu=step % 50)
        both = snapshot("both", offset, cpu=step % 50)
        for one in hubs:
            assert post(one, both).status == 200
    for name in ("turns", "both"):
        wait_for(f"{name}: 120 reports on both hubs", lambda: [counted(one, name) for one in hubs] == [120, 120])


@pytest.mark.needs("postgresql", "libpq5")
def test_reports_are_buffered_while_postgresql_is_down(two_hubs, wpexporter):
    database, (one, other), arguments = two_hubs
    database.stop()
    for step in range(10):
        report(one, "outage", step - 20)
    wait_for("/health is degraded", lambda: one.health()["reason"] == "history_unreachable")
    assert one.metrics()["winpower_hub_history_up"] == 0
    database.start()
    wait_for("it recovers", lambda: one.health()["status"] == "ok")
    wait_for("the other hub shows the buffered reports", lambda: counted(other, "outage") == 10)
    stats = json.loads(wpexporter("history", "stats", *arguments[:2], check=True).stdout)
    assert stats["subjects"] == 1
    assert one.stop() == other.stop() == 0
    printed = wpexporter("hub", "--config.print", *arguments, check=True).stdout
    for text in (one.text(), other.text(), printed):
        assert PASSWORD not in text and "hunter2" not in text


@pytest.mark.needs("python3-venv")
def test_schemathesis_confirms_the_api_description(site, virtualenv, tmp_path):
    receiving, sending = site
    report(receiving, "a")
    sending.stop()
    done = execute(
        virtualenv(SCHEMATHESIS).with_name("schemathesis"), "run", receiving.url + "/api/v2/openapi.json",
        "--url", receiving.url, "--max-examples", "20", "--seed", "1", "--phases", "examples,coverage,fuzzing", "--checks",
        "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,"
        "response_headers_conformance,unsupported_method", cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stdout[-6000:]


@pytest.mark.fast
def test_a_hub_beside_an_exporter_reads_no_file_of_the_exporter(wpexporter, tmp_path):
    (tmp_path / "config.yaml").write_text("server: {port: 9999}\n")
    printed = wpexporter("hub", "--config.print").stdout
    assert "9999" not in printed and "8082" in printed
    printed = wpexporter("hub", "--help").stdout
    assert "./hub.yaml" in printed and "./config.yaml" not in printed
