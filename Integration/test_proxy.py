# SPDX-License-Identifier: MIT
"""The examples of docs/reverse-proxy.md, changed only in names, ports and paths: the exporter behind nginx and
Caddy."""

import os
import re
import urllib.parse

import pytest

from support.programs import ROOT, execute
from support.waiting import wait_for

USER, PASSWORD = "scraper", "correct horse"
REQUESTS = 50

pytestmark = pytest.mark.needs("caddy", "curl", "nginx-light", "openssl", "prometheus")


def example(language, name):
    """A block of the page, found by the words after its fence."""
    text = (ROOT / "docs" / "reverse-proxy.md").read_text()
    return re.search(rf"^```{language} {name}\n(.*?)^```$", text, re.M | re.S)[1]


def adapt(text, directory, proxy_port, exporter=""):
    """The example with the names, ports and paths of this run."""
    for old, new in (
        ("127.0.0.1:9090", exporter.split("//")[-1]),
        ("listen 443", f"listen 127.0.0.1:{proxy_port}"),
        ("exporter.example.com {", f"localhost:{proxy_port} {{"),
        ("exporter.example.com:443", f"localhost:{proxy_port}"),
        ("exporter.example.com", "localhost"),
        ("ca.pem", "exporter.pem"),
    ):
        text = text.replace(old, new)
    return re.sub(r"/etc/(?:nginx|caddy|prometheus)/", f"{directory}/", text)


@pytest.fixture(scope="module")
def directory(shared_programs):
    """Files of the examples: a self-signed certificate and a users file."""
    directory = shared_programs.directory
    execute(
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
        "-out", directory / "exporter.pem", "-keyout", directory / "exporter.key", check=True)
    users = f"{USER}:{execute('openssl', 'passwd', '-6', PASSWORD, check=True).stdout}"
    (directory / "winpower.htpasswd").write_text(users)
    return directory


@pytest.fixture(scope="module")
def exporters(shared_programs, directory):
    """An exporter per example: one behind a proxy that terminates TLS and checks passwords, and one that does both
    itself."""
    upstream = shared_programs.simulator("--devices", 3, "--scenario", "steady")
    secured = {"auth": {"username": USER}, "tls": {"cert_file": directory / "exporter.pem", "key_file": directory / "exporter.key"}}
    started = {
        name: shared_programs.exporter(
            shared_programs.settings(upstream, name=name, server=server, logging={"level": "debug"}), environment=environment)
        for name, server, environment in (
            ("terminating", {}, {}),
            ("encrypting", secured, {"WINPOWER_EXPORTER_SERVER_AUTH_PASSWORD": PASSWORD}),
        )
    }
    yield started
    assert [exporter.stop() for exporter in started.values()] == [0, 0]


def nginx(programs, name, exporter, port):
    home = programs.directory / f"nginx-{name}"
    home.mkdir()
    paths = "".join(
        f"    {kind}_temp_path {home}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (home / "nginx.conf").write_text(
        f"daemon off;\nmaster_process off;\npid {home}/pid;\nerror_log stderr;\nevents {{}}\n"
        f"http {{\n    access_log off;\n{paths}{adapt(example('nginx', name), programs.directory, port, exporter.url)}}}\n")
    return programs.start("nginx", ["nginx", "-e", "stderr", "-p", home, "-c", home / "nginx.conf"])


def caddy(programs, name, exporter, port):
    password = execute("caddy", "hash-password", "--plaintext", PASSWORD, check=True).stdout.strip()
    text = adapt(example("caddyfile", name), programs.directory, port, exporter.url).replace("PASSWORD_HASH", password)
    home = programs.directory / f"caddy-{name}"
    home.mkdir()
    (home / "Caddyfile").write_text("{\n    admin off\n    auto_https disable_redirects\n}\n" + text)
    environment = {"XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home), "HOME": str(home)}
    return programs.start("caddy", ["caddy", "run", "--config", home / "Caddyfile", "--adapter", "caddyfile"], environment)


class Proxy:
    """A proxy, and requests to it with curl."""

    def __init__(self, start, name, programs, exporter):
        port = programs.port()
        self.name, self.exporter, self.directory = name, exporter, programs.directory
        self.program, self.url = start(programs, name, exporter, port), f"https://localhost:{port}"
        self.path = self.url + "/winpower/metrics"
        self.program.wait_for("a scrape goes through", lambda: self.status(self.path) == "2 200\n")

    def curl(self, *arguments, user=f"{USER}:{PASSWORD}", check=True):
        user = ("--user", user) if user else ()
        authority = self.directory / "exporter.pem"
        return execute("curl", "--cacert", authority, "-sS", "--max-time", 20, *user, *arguments, check=check).stdout

    def status(self, *arguments, **options):
        """The HTTP version and the status of each URL, one per line."""
        summary = ("-o", os.devnull, "-w", "%{http_version} %{response_code}\n")
        return self.curl(*(word for argument in arguments for word in (*summary, argument)),
                         **{"check": False, **options})


@pytest.fixture(scope="module", params=["nginx terminating", "nginx encrypting", "caddy terminating", "caddy encrypting"])
def proxy(request, shared_programs, directory, exporters):
    server, name = request.param.split()
    proxy = Proxy({"nginx": nginx, "caddy": caddy}[server], name, shared_programs, exporters[name])
    yield proxy
    proxy.program.stop()


def test_a_scrape_passes_through_unchanged(proxy):
    body = proxy.curl("--compressed", proxy.path)
    assert "winpower_exporter_up 1" in body and body.endswith("\n")
    assert proxy.status(proxy.path) == "2 200\n"
    assert proxy.curl("-I", "-o", os.devnull, "-w", "%{http_version} %{response_code}", proxy.path) == "2 200"


def test_a_password_is_required(proxy):
    assert proxy.status(proxy.path, user=None) == "2 401\n"
    assert proxy.status(proxy.path, user=f"{USER}:wrong") == "2 401\n"


def test_page_links_keep_the_prefix_and_work(proxy):
    home = proxy.url + "/winpower/"
    links = re.findall(r'(?:href|src)="(?!data:)([^"]+)"', proxy.curl(home))
    targets = [urllib.parse.urljoin(home, link) for link in links]
    assert len(targets) >= 2 and all(target.startswith(home) for target in targets)
    assert proxy.status(*targets).split()[1::2] == ["200"] * len(targets)
    assert proxy.status(home + "nothing") == "2 404\n"
    if proxy.name == "terminating":
        # Only this example redirects.
        found = proxy.curl("-o", os.devnull, "-w", "%{response_code} %{redirect_url}", proxy.url + "/winpower", user=None)
        assert found == f"301 {proxy.url}/winpower/"


def test_scrapes_share_connections_to_the_exporter(proxy):
    before = len(proxy.exporter.records("Request answered"))
    assert proxy.status(*[proxy.path] * REQUESTS) == "2 200\n" * REQUESTS
    records = wait_for("all of them are logged", lambda: len(
        found := proxy.exporter.records("Request answered")[before:]) >= REQUESTS and found)
    assert len({record["peer"] for record in records}) <= 4


@pytest.mark.parametrize("proxy", ["nginx terminating", "caddy terminating"], indirect=True)
def test_prometheus_scrapes_through_it_as_documented(proxy, directory, prometheus):
    (directory / "winpower_password").write_text(PASSWORD)
    text = adapt(example("yaml", "prometheus"), directory, urllib.parse.urlsplit(proxy.url).port)
    server = prometheus("global: {scrape_interval: 1s, scrape_timeout: 900ms}\n" + text)
    wait_for("the target is up", lambda: server.number('up{job="winpower"}') == 1)
