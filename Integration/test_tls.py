# SPDX-License-Identifier: MIT
"""TLS and authentication, tested with openssl, testssl.sh, curl and attacks."""

import base64
import concurrent.futures
import http.client
import json
import re
import shutil
import socket
import ssl
import threading
import time

import pytest

from support.access import BASIC, ENVIRONMENT, HASH, PASSWORD, TOKEN, USER, tls, trusting
from support.certificates import Certificates
from support.programs import PASSWORD as UPSTREAM
from support.programs import execute
from support.waiting import wait_for

SCRAPES = 200  # during a flood of wrong passwords

pytestmark = pytest.mark.needs("openssl")


@pytest.fixture(scope="module")
def authority(shared_programs):
    return Certificates(shared_programs.directory)


@pytest.fixture(scope="module")
def identity(authority):
    return authority.issue("server")


@pytest.fixture(scope="module")
def config(shared_programs, identity):
    return shared_programs.settings(
        shared_programs.simulator("--devices", 5, "--scenario", "steady"), server=tls(identity), logging={"level": "debug"})


@pytest.fixture(scope="module")
def secure(shared_programs, config):
    """An exporter with TLS and a hashed password, for tests that only send requests."""
    exporter = shared_programs.exporter(config, environment=ENVIRONMENT)
    exporter.url = exporter.url.replace("127.0.0.1", "localhost")
    yield exporter
    # It still serves after all tests.
    assert status(exporter, authority=None, path="/health") == 200
    assert exporter.stop() == 0


def status(exporter, authority, path="/metrics", headers=None):
    context = trusting(authority) if authority else ssl._create_unverified_context()
    connection = http.client.HTTPSConnection("localhost", exporter.port, timeout=10, context=context)
    connection.request("GET", path, headers=headers or {})
    return connection.getresponse().status


def basic(user, password):
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


@pytest.mark.parametrize(
    "headers", [{}, basic(USER, "wrong"), basic("other", PASSWORD), basic(USER, HASH)],
    ids=["no credentials", "a wrong password", "a wrong name", "the hash itself"])
def test_credentials_are_required(secure, authority, headers):
    assert status(secure, authority, headers=headers) == 401
    assert status(secure, authority, headers=BASIC) == 200
    assert status(secure, authority, path="/health") == 200, "/health requires none"
    text = secure.text()
    assert all(secret not in text for secret in (PASSWORD, TOKEN, HASH))


def test_healthcheck_verifies_the_certificate_of_a_url(secure, shared_programs, config):
    assert shared_programs.run("healthcheck", "--config", config, "--port", secure.port).returncode == 0
    done = shared_programs.run("healthcheck", "--url", secure.url + "/health")
    assert done.returncode == 1 and "not trusted" in done.stderr


@pytest.fixture
def openssl(secure):
    """openssl(*options) connects and returns the output of openssl."""

    def connect(*arguments, stdin=""):
        done = execute("openssl", "s_client", "-connect", f"localhost:{secure.port}", *arguments, stdin=stdin)
        return done.stdout + done.stderr

    return connect


@pytest.mark.parametrize("version", ["tls1", "tls1_1"])
def test_old_versions_are_rejected(openssl, version):
    assert "alert protocol version" in openssl(f"-{version}", "-cipher", "ALL:eNULL:@SECLEVEL=0")


@pytest.mark.parametrize(
    "cipher",
    ["NULL", "aNULL", "AES128-SHA", "AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384",
     "ECDHE-ECDSA-AES128-CCM", "DHE-RSA-AES128-GCM-SHA256"])
def test_weak_ciphers_are_rejected(openssl, cipher):
    assert "alert handshake failure" in openssl("-tls1_2", "-cipher", f"{cipher}:@SECLEVEL=0")


@pytest.mark.parametrize("version", ["tls1_2", "tls1_3"])
def test_current_versions_are_accepted_without_resumption_or_compression(openssl, authority, version):
    text = openssl(f"-{version}", "-CAfile", authority.authority, "-verify_return_error", "-reconnect")
    assert "Verify return code: 0 (ok)" in text
    assert "Compression: NONE" in text and "Reused," not in text
    assert "New Session Ticket arrived" not in text and "TLS session ticket:" not in text


def test_renegotiation_is_rejected(openssl):
    text = openssl("-tls1_2", stdin="R\n")
    assert "RENEGOTIATING" in text and "no renegotiation" in text


def test_the_server_chooses_the_cipher(openssl):
    chosen = []
    for order in ("128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384", "256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256"):
        chosen += re.findall(r"Cipher is (\S+)", openssl("-tls1_2", "-cipher", f"ECDHE-ECDSA-AES{order}"))
    assert len(chosen) == 2 and len(set(chosen)) == 1


def test_alpn_offers_http_1_only(openssl):
    assert "ALPN protocol: http/1.1" in openssl("-alpn", "h2,http/1.1")
    assert "no application protocol" in openssl("-alpn", "h2")


@pytest.mark.needs("testssl.sh")
def test_testssl_finds_no_weakness(secure, tmp_path):
    report = tmp_path / "testssl.json"
    execute(
        "testssl", "--quiet", "--color", "0", "--warnings", "off", "--nodns", "none", "--ip", "127.0.0.1", "--sneaky",
        "--protocols", "--std", "--fs", "--server-preference", "--vulnerable", "--jsonfile", report, f"localhost:{secure.port}",
        timeout=600, cwd=tmp_path, environment={"TERM": "dumb"})
    findings = json.loads(report.read_text())
    by_id = {finding["id"]: finding for finding in findings}
    for name in ("SSLv2", "SSLv3", "TLS1", "TLS1_1"):
        assert by_id[name]["finding"].startswith("not offered"), name
    for name in ("TLS1_2", "TLS1_3"):
        assert by_id[name]["finding"].startswith("offered"), name
    assert len([name for name in by_id if name.startswith("cipherlist_")]) >= 6
    vulnerabilities = {"heartbleed", "CCS", "ticketbleed", "ROBOT", "secure_renego", "secure_client_renego", "CRIME_TLS", "BREACH",
                       "POODLE_SSL", "fallback_SCSV", "SWEET32", "FREAK", "DROWN", "LOGJAM", "BEAST", "LUCKY13", "RC4"}
    assert len(vulnerabilities & by_id.keys()) >= 14
    assert [
        finding for finding in findings
        if finding["severity"] in ("LOW", "MEDIUM", "HIGH", "CRITICAL", "FATAL", "WARN")
        # This openssl lacks GOST ciphers: a warning about the tool, not the server.
        and finding["id"] != "engine_problem"
    ] == []


@pytest.mark.alone
def test_the_right_password_works_during_a_flood_of_wrong_ones(secure):
    end = threading.Event()

    def attack(number):
        statuses = set()
        connection = http.client.HTTPSConnection(
            "localhost", secure.port, timeout=20, context=ssl._create_unverified_context())
        count = 0
        while not end.is_set():
            count += 1
            connection.request("GET", "/metrics", headers=basic(USER, f"wrong {number} {count}"))
            reply = connection.getresponse()
            reply.read()
            statuses.add(reply.status)
        connection.close()
        return statuses

    connection = http.client.HTTPSConnection("localhost", secure.port, timeout=20, context=ssl._create_unverified_context())
    times = []

    def scrape():
        started = time.monotonic()
        connection.request("GET", "/metrics", headers=BASIC)
        reply = connection.getresponse()
        reply.read()
        times.append(time.monotonic() - started)
        assert reply.status == 200

    scrape()
    with concurrent.futures.ThreadPoolExecutor(24) as pool:
        attacks = [pool.submit(attack, number) for number in range(24)]
        try:
            for _ in range(SCRAPES):
                scrape()
        finally:
            end.set()
    # bcrypt checks wrong passwords, as many concurrently as there are processors; beyond a limit they are rejected
    # unchecked.
    assert set().union(*(attack.result() for attack in attacks)) == {401, 503}
    # 0.1 s is the duration of one bcrypt check, and the right password could have to wait for those of 24 clients.
    assert sorted(times)[SCRAPES // 2] < 0.1


FAULTS = {
    "a certificate file of rubbish": ("server.tls.cert_file", lambda own, other, bad: {"server": tls((bad, own[1]))}),
    "a key file of rubbish": ("server.tls.key_file", lambda own, other, bad: {"server": tls((own[0], bad))}),
    "a key of another certificate": ("server.tls.key_file", lambda own, other, bad: {"server": tls((own[0], other[1]))}),
    "no such file": ("server.tls.key_file", lambda own, other, bad: {"server": tls((own[0], "/nonexistent"))}),
    "clients' authorities of rubbish":
        ("server.tls.client_ca_file", lambda own, other, bad: {"server": tls(own, client_ca_file=bad)}),
    "WinPower's authorities of rubbish": ("winpower.ca_file", lambda own, other, bad: {"winpower": {"ca_file": bad}}),
    "a password hash of rubbish":
        ("server.auth.password_hash", lambda own, other, bad: {"server": {"auth": {"username": USER, "password_hash": "rubbish"}}}),
}


@pytest.fixture(scope="module")
def other(authority):
    return authority.issue("second")


@pytest.mark.parametrize("command", ["server", "check-config"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_fault_has_exit_status_2_and_a_location(programs, tmp_path, identity, other, fault, command):
    bad = tmp_path / "bad.pem"
    bad.write_text("rubbish\n")
    key, sections = FAULTS[fault][0], FAULTS[fault][1](identity, other, bad)
    sections["winpower"] = {"base_url": "https://127.0.0.1:1", "username": "admin", **sections.get("winpower", {})}
    config = programs.settings(name="faulty", **sections)
    done = programs.run(command, "--config", config, environment={**UPSTREAM, **ENVIRONMENT})
    assert done.returncode == 2
    assert re.search(rf"faulty\.yaml:\d+:\d+: {re.escape(key)}: ", done.stderr)


def test_a_world_readable_key_causes_a_warning(programs, tmp_path, identity):
    key = tmp_path / "open.key"
    shutil.copyfile(identity[1], key)
    key.chmod(0o644)
    config = programs.settings(
        winpower={"base_url": "http://127.0.0.1:1", "username": "admin"}, server=tls((identity[0], key)))
    done = programs.run("check-config", "--config", config, environment={**UPSTREAM, **ENVIRONMENT})
    assert done.returncode == 0 and "every account on this machine can read it" in done.stdout


def test_a_new_certificate_is_used_once_its_key_exists(simulator, settings, exporter, certificates, tmp_path):
    first, second = certificates.issue("server"), certificates.issue("second")
    live = (tmp_path / "live.pem", tmp_path / "live.key")
    for source, target in zip(first, live):
        shutil.copyfile(source, target)
    running = exporter(settings(simulator(), server=tls(live)), environment=ENVIRONMENT)

    def shown():
        with socket.create_connection(("127.0.0.1", running.port), timeout=5) as plain:
            with trusting(certificates).wrap_socket(plain, server_hostname="localhost") as secure:
                return dict(field[0] for field in secure.getpeercert()["subject"])["commonName"]

    def replace(source, target):
        beside = target.with_suffix(".new")
        shutil.copyfile(source, beside)
        beside.rename(target)

    def errors():
        return [record for record in running.records() if record.get("level") == "error"]

    assert shown() == "server"
    replace(second[0], live[0])
    # A handshake checks for newer files.
    wait_for("the certificate without its key is detected", lambda: shown() == "server" and errors())
    assert shown() == "server"
    replace(second[1], live[1])
    wait_for("the new certificate is shown", lambda: shown() == "second")
    assert running.messages().count("The TLS certificate was reloaded") == 1
    (error,) = errors()
    assert str(live[1]) in error["error"]


@pytest.mark.needs("curl")
def test_clients_need_a_certificate_with_a_permitted_name(simulator, settings, exporter, wpexporter, certificates):
    server = certificates.issue("server")
    client = certificates.issue("client", "DNS:prometheus.test")
    config = settings(simulator(), logging={"level": "debug"}, server=tls(
        server, client_ca_file=certificates.authority, client_names="a.test, prometheus.test"))
    running = exporter(config, environment=ENVIRONMENT)

    def curl(*identity):
        shown = ("--cert", identity[0], "--key", identity[1]) if identity else ()
        return execute("curl", "-sS", "--max-time", 20, "--cacert", certificates.authority, *shown,
                       "-H", f"Authorization: Bearer {TOKEN}", running.url + "/metrics")

    assert "winpower_exporter_up 1" in curl(*client).stdout
    assert curl().returncode != 0
    assert curl(*server).returncode != 0, "its certificate has another name"
    healthcheck = ("healthcheck", "--config", config, "--url", running.url, "--ca-file", certificates.authority)
    done = wpexporter(*healthcheck)
    assert done.returncode == 1 and "requires a client certificate" in done.stderr
    assert wpexporter(*healthcheck, "--client-cert", client[0], "--client-key", client[1]).returncode == 0
    failures = wait_for("the log shows the reason", lambda: len(
        found := running.records("A TLS handshake failed")) >= 3 and found)
    assert all("reason" in record and "peer" in record for record in failures)
    assert running.stop() == 0
