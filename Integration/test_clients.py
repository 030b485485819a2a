# SPDX-License-Identifier: MIT
"""Real clients over plain HTTP and over TLS: curl, Python's http.client, Go's net/http, and Prometheus."""

import http.client
import json
import os
import pathlib
import re
import urllib.parse

import pytest

from support.access import BASIC, ENVIRONMENT, PASSWORD, TOKEN, USER, tls, trusting
from support.certificates import Certificates
from support.programs import execute
from support.waiting import wait_for
from support.web import get

SUMMARY = ("-o", os.devnull, "-w", "%{http_version} %{response_code} %{num_connects}\n")


class Endpoint:
    """An exporter and how clients connect to it."""

    def __init__(self, exporter, certificates=None):
        self.exporter, self.certificates = exporter, certificates
        self.url = exporter.url.replace("127.0.0.1", "localhost") if certificates else exporter.url
        self.metrics = self.url + "/metrics"

    def curl(self, *arguments, stdin=""):
        access = ("--cacert", self.certificates.authority, "--user", f"{USER}:{PASSWORD}") if self.certificates else ()
        return execute("curl", "-sS", "--max-time", 20, *access, *arguments, stdin=stdin, check=True).stdout

    def connection(self):
        parts = urllib.parse.urlsplit(self.url)
        if self.certificates:
            return http.client.HTTPSConnection(parts.hostname, parts.port, timeout=10, context=trusting(self.certificates))
        return http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)

    @property
    def headers(self):
        return BASIC if self.certificates else {}


@pytest.fixture(scope="module")
def upstream(shared_programs):
    return shared_programs.simulator("--devices", 5, "--scenario", "steady")


@pytest.fixture(scope="module")
def authority(shared_programs):
    return Certificates(shared_programs.directory)


@pytest.fixture(scope="module", params=["http", "https"])
def endpoint(request, shared_programs, upstream, authority):
    server = tls(authority.issue("server")) if request.param == "https" else {}
    config = shared_programs.settings(upstream, name=request.param, server=server, logging={"level": "debug"})
    exporter = shared_programs.exporter(config, environment=ENVIRONMENT if server else {})
    assert exporter.url.startswith(request.param + "://")
    endpoint = Endpoint(exporter, authority if server else None)
    yield endpoint
    assert exporter.stop() == 0


@pytest.mark.needs("curl", "openssl")
@pytest.mark.parametrize("option, version", [("--http1.0", ""), ("--http1.1", "1.1"), ("-sS", "1.1")],
                         ids=["1.0", "1.1", "any, of which HTTP/2 is offered"])
def test_curl_scrapes_over_each_http_version(endpoint, option, version):
    found = endpoint.curl(option, *SUMMARY, endpoint.metrics)
    assert found.startswith(version) and found.split()[1:] == ["200", "1"]


@pytest.mark.needs("curl", "openssl")
def test_curl_gets_heads_and_compressed_bodies(endpoint):
    head = endpoint.curl("-I", endpoint.metrics)
    assert "HTTP/1.1 200" in head and re.search(r"(?im)^content-length: [1-9]", head)
    assert "winpower_exporter_up 1" in endpoint.curl("--compressed", endpoint.metrics)


@pytest.mark.needs("curl", "openssl")
def test_curl_keeps_its_connection(endpoint):
    found = endpoint.curl(*SUMMARY, endpoint.metrics, *SUMMARY, endpoint.metrics, *SUMMARY, endpoint.metrics).splitlines()
    assert [line.split()[1:] for line in found] == [["200", "1"], ["200", "0"], ["200", "0"]]


@pytest.mark.needs("curl", "openssl")
def test_rejected_requests_have_their_status(endpoint):
    chunked = ("-H", "Transfer-Encoding: chunked", "--data-binary", "@-")
    assert endpoint.curl(*chunked, *SUMMARY, endpoint.metrics, stdin="x" * 100_000).split()[1] == "405"
    assert endpoint.curl("--data-binary", "@-", *SUMMARY, endpoint.metrics, stdin="x" * 2_000_000).split()[1] == "413"
    assert endpoint.curl("-H", f"X: {'x' * 40_000}", *SUMMARY, endpoint.metrics).split()[1] == "431"


def test_http_client_keeps_its_connection(endpoint):
    connection = endpoint.connection()
    local_ports = set()
    for _ in range(10):
        connection.request("GET", "/metrics", headers=endpoint.headers)
        reply = connection.getresponse()
        body = reply.read()
        local_ports.add(connection.sock.getsockname()[1])
        assert reply.status == 200 and b"winpower_exporter_up 1" in body
    assert len(local_ports) == 1
    connection.request("PUT", "/metrics", body=iter([b"one", b"two"]), headers=endpoint.headers, encode_chunked=True)
    reply = connection.getresponse()
    reply.read()
    assert reply.status == 405 and "GET" in reply.headers["Allow"]
    connection.request("HEAD", "/metrics", headers=endpoint.headers)
    reply = connection.getresponse()
    assert reply.status == 200 and reply.read() == b"", "after a body that was rejected unread"
    connection.close()


@pytest.fixture(scope="module")
def go_client(shared_programs):
    program = shared_programs.directory / "client"
    execute(
        "go", "build", "-o", program, pathlib.Path(__file__).parent / "clients" / "client.go", timeout=300, check=True,
        cwd=shared_programs.directory,
        environment={"GOCACHE": str(shared_programs.directory / "go"), "GOFLAGS": "-mod=mod", "CGO_ENABLED": "0"})
    return program


@pytest.mark.needs("golang-go", "openssl")
@pytest.mark.parametrize("credentials", [("-user", USER, "-password", PASSWORD), ("-bearer", TOKEN)], ids=["basic", "bearer"])
def test_go_scrapes(endpoint, go_client, credentials):
    options = ("-ca", endpoint.certificates.authority, *credentials) if endpoint.certificates else ()
    seen = json.loads(execute(go_client, "-url", endpoint.metrics, *options, check=True).stdout)
    assert seen["statuses"] == [200] * 20 and seen["connections"] == 1
    assert seen["protocol"] == "HTTP/1.1", "although HTTP/2 was offered"
    assert seen["head_length"] > 0 and seen["head_body"] == 0
    assert seen["chunked_status"] == 405
    assert seen["expect_status"] == 413, "a body beyond the limit is rejected before Expect: 100-continue is answered"
    assert seen["parallel_ok"] == 400, "eight requests at a time"
    if endpoint.certificates:
        assert seen["tls_version"] == "1.3" and seen["alpn"] == "http/1.1"


def test_each_request_has_one_record_at_debug(endpoint):
    before = len(endpoint.exporter.records("Request answered"))
    connection = endpoint.connection()
    connection.request("GET", "/metrics", headers=endpoint.headers)
    assert connection.getresponse().read()
    connection.close()
    (record,) = wait_for("it is logged", lambda: endpoint.exporter.records("Request answered")[before:])
    assert {"method", "path", "status", "bytes", "duration_ms", "handler", "peer", "user_agent"} <= set(record)


@pytest.mark.needs("openssl", "prometheus")
def test_prometheus_scrapes_over_https_with_each_kind_of_credentials(programs, simulator, settings, exporter, certificates, prometheus):
    server = tls(certificates.issue("server"), client_ca_file=certificates.authority, min_version="1.3")
    running = exporter(settings(simulator(), server=server), environment=ENVIRONMENT)
    client = certificates.issue("client", "DNS:prometheus.test")
    config = f"{{ca_file: {certificates.authority}, cert_file: {client[0]}, key_file: {client[1]}}}"
    jobs = {
        "basic": f"basic_auth: {{username: '{USER}', password: '{PASSWORD}'}}",
        "bearer": f"authorization: {{credentials: '{TOKEN}'}}",
        "wrong": "authorization: {credentials: 'wrong'}",
    }
    scraping = prometheus(
        "global: {scrape_interval: 1s, scrape_timeout: 900ms}\nscrape_configs:\n"
        + "".join(
            f"  - job_name: {job}\n    scheme: https\n    tls_config: {config}\n    {credentials}\n"
            f"    static_configs: [{{targets: ['localhost:{running.port}']}}]\n"
            for job, credentials in jobs.items()))
    for job in ("basic", "bearer"):
        wait_for(f"{job}: the target is up", lambda: scraping.number(f'sum_over_time(up{{job="{job}"}}[1m])') >= 3)
        assert scraping.number(f'winpower_exporter_up{{job="{job}"}}') == 1
    wait_for("wrong: it has been scraped", lambda: scraping.number('count_over_time(up{job="wrong"}[1m])') >= 3)
    assert scraping.number('max_over_time(up{job="wrong"}[1m])') == 0
    done = execute("openssl", "s_client", "-connect", f"127.0.0.1:{running.port}", "-tls1_2")
    assert "alert protocol version" in done.stdout + done.stderr, "min_version 1.3 rejects TLS 1.2"
    assert running.stop() == 0


@pytest.mark.parametrize(
    "host, addresses", [("127.0.0.1", ["127.0.0.1"]), ("::1", ["[::1]"]), ("::", ["127.0.0.1", "[::1]"])])
def test_the_exporter_is_reachable_at_each_address(simulator, settings, exporter, wpexporter, host, addresses):
    config = settings(simulator(), server={"host": host})
    running = exporter(config)
    assert running.port > 0, "port 0 picks a free port"
    for address in addresses:
        assert get(f"http://{address}:{running.port}/health").status == 200
    assert wpexporter("healthcheck", "--config", config, "--port", running.port).returncode == 0
    assert running.stop() == 0
