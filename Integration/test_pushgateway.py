# SPDX-License-Identifier: MIT
"""WPPushgateway pushes metrics to a real Pushgateway, and deletes them."""

import base64

import pytest

from support.programs import execute
from support.waiting import wait_for
from support.web import get

PASSWORD = "correct horse"
PASSWORD_HASH = "$2b$04$2AuymDH/1Jg03okqtFm6CO4sCsY0OX1smQyYjgFZWqOI6QY8VTVkW"
LABELS = ["a/b", "/", "", "Köln & Umgebung", "100%", "..", 'quo"te\\', "line\nfeed", "+a b+", "=", "🔋"]

# A single worker, so that the program is built once.
pytestmark = [pytest.mark.needs("prometheus-pushgateway"), pytest.mark.xdist_group("pushgateway")]


class Gateway:
    """A Pushgateway and a program that pushes to it with WPPushgateway."""

    def __init__(self, gateway, probe, password=None):
        self.gateway, self.probe, self.headers = gateway, probe, {}
        if password:
            self.headers["Authorization"] = "Basic " + base64.b64encode(f"pusher:{password}".encode()).decode()
        wait_for("the gateway is ready", lambda: self.get("/-/ready").status == 200)

    def get(self, path):
        return get(self.gateway.url + path, **self.headers)

    def attempt(self, *arguments):
        return execute(self.probe, self.gateway.url, *arguments)

    def do(self, *arguments):
        execute(self.probe, self.gateway.url, *arguments, check=True)

    def groups(self):
        """{frozenset of a group's labels: {metric: value}} from the gateway's API, which returns texts unchanged."""
        found = {}
        for group in self.get("/api/v1/metrics").json()["data"]:
            labels = group.pop("labels")
            found[frozenset(labels.items())] = {
                name: float(family["metrics"][0]["value"])
                for name, family in group.items()
                if isinstance(family, dict) and not name.startswith("push_")
            }
        return found


def group(**labels):
    return frozenset(labels.items())


@pytest.fixture(scope="module")
def probe(swift_product):
    return swift_product("wp-push-probe")


@pytest.fixture
def gateway(pushgateway, probe):
    return Gateway(pushgateway(), probe)


@pytest.fixture
def guarded(pushgateway, probe, tmp_path):
    """A gateway below a path that requires a password."""
    config = tmp_path / "web.yml"
    config.write_text(f"basic_auth_users:\n  pusher: {PASSWORD_HASH}\n")
    return Gateway(pushgateway(f"--web.config.file={config}", path="/prefix"), probe, PASSWORD)


def test_a_push_is_a_group_with_its_metrics(gateway):
    gateway.do("push", "backup", "@instance=db1", "saved_bytes=12.5", "files=3")
    assert gateway.groups() == {group(job="backup", instance="db1"): {"saved_bytes": 12.5, "files": 3}}
    exposition = gateway.get("/metrics").text
    assert 'saved_bytes{instance="db1",job="backup"} 12.5\n' in exposition
    assert "# HELP saved_bytes Pushed by a test.\n# TYPE saved_bytes gauge\n" in exposition


def test_post_merges_and_put_replaces(gateway):
    gateway.do("push", "backup", "@instance=db1", "saved_bytes=12.5", "files=3")
    backup = group(job="backup", instance="db1")
    gateway.do("add", "backup", "@instance=db1", "saved_bytes=13")
    assert gateway.groups()[backup] == {"saved_bytes": 13, "files": 3}, "metrics with other names remain"
    gateway.do("push", "backup", "@instance=db1", "--gzip", "saved_bytes=14")
    assert gateway.groups()[backup] == {"saved_bytes": 14}


def test_any_text_is_a_label(gateway):
    for value in LABELS:
        wanted = group(job="awk/ward", zone=value)
        gateway.do("push", "awk/ward", f"@zone={value}", "x=1")
        assert gateway.groups().get(wanted) == {"x": 1}, repr(value)
        gateway.do("delete", "awk/ward", f"@zone={value}")
        assert wanted not in gateway.groups(), repr(value)


def test_a_delete_removes_only_its_group(gateway):
    gateway.do("push", "backup", "@instance=db1", "saved_bytes=12.5")
    gateway.do("push", "other", "y=2")
    gateway.do("delete", "backup", "@instance=db1")
    assert gateway.groups() == {group(job="other"): {"y": 2}}
    assert "saved_bytes" not in gateway.get("/metrics").text
    gateway.do("delete", "backup", "@instance=db1")


def test_a_push_that_the_gateway_rejects_is_an_error(gateway):
    done = gateway.attempt("push", "other", "go_gc_duration_seconds=1")
    assert done.returncode != 0 and "rejected with 400" in done.stderr


def test_an_unreachable_gateway_is_an_error(gateway):
    gateway.gateway.stop()
    done = gateway.attempt("push", "x", "x=1")
    assert done.returncode != 0 and "received no response" in done.stderr


def test_basic_authentication_is_required_below_a_path(guarded):
    guarded.do("push", "backup", "--basic", f"pusher:{PASSWORD}", "x=1")
    assert guarded.groups() == {group(job="backup"): {"x": 1}}
    for credentials in (["--basic", "pusher:wrong battery"], []):
        done = guarded.attempt("push", "backup", *credentials, "x=2")
        assert done.returncode != 0 and "rejected with 401" in done.stderr
        assert "battery" not in done.stderr
    assert guarded.groups() == {group(job="backup"): {"x": 1}}
