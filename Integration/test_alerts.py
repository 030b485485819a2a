# SPDX-License-Identifier: MIT
"""Checks monitoring/ with the programs that read it: promtool, amtool and docker-compose.

Each alert also needs tests in which it fires, resolves, and stays silent just below the threshold, texts and a
runbook in English and Chinese, and the device name if it concerns one. It must keep firing if its series disappear
while its cause persists: in each alert's first test in which it fires, all series end at that moment, as when the
exporter, the machine or the network fails as well. monitoring/prometheus/disappearance.yml states how long the alert
then fires, with a reason if that is less than the default, and when it has resolved."""

import collections
import functools
import re
import sys

import pytest
import yaml

from support.programs import ROOT, execute

PROMETHEUS = ROOT / "monitoring" / "prometheus"
COMPOSE = ROOT / "monitoring/docker-compose.monitoring.yml"
RULES, TESTS = sorted((PROMETHEUS / "rules").glob("*.yml")), sorted((PROMETHEUS / "tests").glob("*_test.yml"))
# `start-monitoring.sh runbooks URL` sets the base URL of the runbooks, which all alerts share.
RUNBOOK = re.compile(r"(https?://\S+)/(\w+\.md)#(\w+)")
RUNBOOKS = [ROOT / "docs" / "runbooks", ROOT / "docs" / "zh-CN" / "runbooks"]
CHINESE = re.compile("[\u4e00-\u9fff]")
AT_LEAST = 70
TERM = re.compile(r"(?:(-?[\d.]+|_|stale)(?:([+-][\d.]+))?(?:x(\d+))?)$")

pytestmark = pytest.mark.needs("python3-yaml")


def alerts(path):
    return [rule for group in yaml.safe_load(path.read_text())["groups"] for rule in group["rules"] if "alert" in rule]


ALERTS = {rule["alert"]: rule for path in RULES for rule in alerts(path)}
each_alert = pytest.mark.parametrize("name", sorted(ALERTS))


@functools.cache
def unit_tests():
    return {path: yaml.safe_load(path.read_text()) for path in TESTS}


def alerts_of(test):
    return {step["alertname"] for step in test.get("alert_rule_test", [])}


@pytest.mark.needs("prometheus")
def test_promtool_accepts_settings_and_rules():
    execute("promtool", "check", "config", PROMETHEUS / "prometheus.yml", check=True)
    execute("promtool", "check", "rules", "--lint=all", "--lint-fatal", *RULES, check=True)


@each_alert
@pytest.mark.needs("prometheus")
def test_the_unit_tests_of_an_alert_pass(name, tmp_path):
    """Only with the rules of this alert: promtool evaluates every rule at each step, which takes five times as long."""
    for path, content in unit_tests().items():
        tests = [test for test in content["tests"] if name in alerts_of(test)]
        named = set().union(*map(alerts_of, tests))
        for file in content["rule_files"] if tests else []:
            rules = yaml.safe_load((path.parent / file).read_text())
            for group in rules["groups"]:
                group["rules"] = [rule for rule in group["rules"] if rule.get("alert") in named]
            (tmp_path / "rules.yml").write_text(yaml.safe_dump(rules))
            (tmp_path / "test.yml").write_text(
                yaml.safe_dump({**content, "rule_files": ["rules.yml"], "tests": tests}, sort_keys=False))
            execute("promtool", "test", "rules", tmp_path / "test.yml", check=True)


@pytest.mark.needs("prometheus")
def test_the_unit_tests_of_the_recording_rules_pass():
    others = [path for path in TESTS if not all(map(alerts_of, unit_tests()[path]["tests"]))]
    assert [path.name for path in others] == ["recording_test.yml"]
    execute("promtool", "test", "rules", *others, check=True)


def test_each_alert_is_defined_once():
    names = [rule["alert"] for path in RULES for rule in alerts(path)]
    assert len(names) == len(set(names)) >= AT_LEAST


@pytest.fixture(scope="module")
def tested():
    """What the unit tests check for each alert: that it fires, that it resolves, and that it is silent in another
    test."""
    found = collections.defaultdict(set)
    for test in (test for content in unit_tests().values() for test in content["tests"]):
        fired = set()
        for step in test.get("alert_rule_test", []):
            name = step["alertname"]
            if step.get("exp_alerts"):
                fired.add(name)
                found[name].add("fires")
            elif name in fired:
                found[name].add("resolves")
        for name in {step["alertname"] for step in test.get("alert_rule_test", [])} - fired:
            found[name].add("does not fire just below")
    return found


@each_alert
def test_an_alert_is_tested_to_fire_to_resolve_and_to_be_silent(tested, name):
    # An alert that always fires can neither resolve nor be silent.
    wanted = {"fires"} if ALERTS[name]["expr"] == "vector(1)" else {"fires", "resolves", "does not fire just below"}
    assert wanted <= tested[name]


@each_alert
def test_an_alert_has_its_labels_and_annotations(name):
    labels, notes = ALERTS[name].get("labels", {}), ALERTS[name].get("annotations", {})
    assert {"summary", "description", "runbook_url"} <= notes.keys()
    assert all(CHINESE.search(notes.get(key, "")) for key in ("summary_zh", "description_zh"))
    assert labels.get("severity") in ("critical", "warning", "info", "none") and "scope" in labels
    if labels["scope"] == "device":
        assert all("device_name" in notes[key] for key in ("description", "description_zh"))


def headings(page):
    """The alerts with a heading in the runbook, to which `runbook_url` links."""
    return re.findall(r"^## (\w+)$", page.read_text(), re.M)


@each_alert
@pytest.mark.parametrize("directory", RUNBOOKS, ids=["English", "Chinese"])
def test_an_alert_has_a_runbook_at_its_url(name, directory):
    found = RUNBOOK.fullmatch(ALERTS[name]["annotations"]["runbook_url"])
    assert found[3] == name.lower() and name in headings(directory / found[2])


def test_runbooks_share_a_base_url_and_list_no_other_alerts():
    urls = [RUNBOOK.fullmatch(rule["annotations"]["runbook_url"]) for rule in ALERTS.values()]
    assert len({found[1] for found in urls}) == 1
    named = {heading for directory in RUNBOOKS for page in directory.glob("*.md") for heading in headings(page)}
    assert named - ALERTS.keys() == set()


def minutes(text):
    assert re.fullmatch(r"\d+m", str(text)), f"disappearance.yml: {text} is not a number of minutes such as 55m"
    return int(text[:-1])


def cut(values, count):
    """The first `count` samples of a series in promtool's notation, followed by its end."""
    kept, left = [], count
    for term in values.split():
        found = TERM.match(term)
        assert found, f"unknown notation in a test: {term}"
        start, step, times = found.groups()
        # A number followed by xN stands for N + 1 samples, an absent sample followed by xN for N.
        size = 1 if times is None else int(times) + (0 if start == "_" else 1)
        if left <= 0:
            break
        size = min(size, left)
        left -= size
        if start == "_":
            kept.append(f"_x{size}")
        elif start == "stale" or times is None:
            kept.append(start)
        else:
            kept.append(f"{start}{step or '+0'}x{size - 1}")
    return " ".join(kept + ["stale"])


def firing_tests():
    """Each alert with the first test in which it fires."""
    for path in RULES:
        if not (rules := alerts(path)):
            continue
        tests = yaml.safe_load((PROMETHEUS / "tests" / f"{path.stem}_test.yml").read_text())["tests"]
        for rule in rules:
            yield rule, next(((test, step) for test in tests for step in test.get("alert_rule_test", [])
                              if step["alertname"] == rule["alert"] and step.get("exp_alerts")), None)


def simulated(rule, test, step, fires, ends):
    """The test with truncated series. Annotations are removed, because their values change over time."""
    at = minutes(step["eval_time"])
    labels = [{"exp_labels": alert["exp_labels"]} for alert in step["exp_alerts"]]
    steps = [{"alertname": rule["alert"], "eval_time": f"{at + after}m", "exp_alerts": labels} for after in (0, fires)]
    if ends is not None:
        steps.append({"alertname": rule["alert"], "eval_time": f"{at + ends}m"})
    series = [{"series": one["series"], "values": cut(one["values"], at + 1)} for one in test.get("input_series", [])]
    assert test.get("interval", "1m") == "1m", f"{test['name']}: its interval is not one minute"
    return {"name": rule["alert"], "interval": "1m", "input_series": series, "alert_rule_test": steps}


def test_disappearance_lists_each_alert_once():
    text = (PROMETHEUS / "disappearance.yml").read_text()
    # YAML would silently use the last of two duplicate keys.
    names = re.findall(r"^  (\w+):", text, re.M)
    assert len(names) == len(set(names))
    assert yaml.safe_load(text)["alerts"].keys() - ALERTS.keys() == set()


@pytest.mark.needs("prometheus")
def test_alerts_keep_firing_when_their_series_disappear(tmp_path):
    known = yaml.safe_load((PROMETHEUS / "disappearance.yml").read_text())
    default, listed, files = known["default"], known["alerts"], []
    for rule, found in firing_tests():
        name = rule["alert"]
        assert found, f"{name}: no test in which it fires"
        entry = {**default, **({"ends": None} if name in listed else {}), **listed.get(name, {})}
        fires, ends = minutes(entry["fires"]), entry["ends"] and minutes(entry["ends"])
        assert fires >= minutes(default["fires"]) or entry.get("reason"), f"disappearance.yml gives no reason for {name}"
        bare = {key: value for key, value in rule.items() if key != "annotations"}
        (tmp_path / f"{name}.rules.yml").write_text(yaml.safe_dump({"groups": [{"name": "one", "rules": [bare]}]}))
        files.append(tmp_path / f"{name}.yml")
        files[-1].write_text(yaml.safe_dump({
            "rule_files": [f"{name}.rules.yml"], "evaluation_interval": "1m", "tests": [simulated(rule, *found, fires, ends)]}))
    # If this fails, an alert resolves although its cause persists, or fires forever.
    execute("promtool", "test", "rules", *files, timeout=600, cwd=tmp_path, check=True)


@pytest.mark.needs("prometheus-alertmanager")
@pytest.mark.parametrize("path, receiver", [
    ("monitoring/alertmanager/alertmanager.yml", "webhook"), ("monitoring/examples/alertmanager-zh.yml", "chat")])
def test_alertmanager_routes_alerts_to_their_receivers(path, receiver):
    execute("amtool", "check-config", ROOT / path, check=True)
    for labels, receivers in (
        (["alertname=UPSOnBattery", "severity=warning", "scope=device"], receiver),
        (["alertname=UPSOverload", "severity=critical", "scope=device"], f"email,{receiver}"),
        (["alertname=UPSEnergyUnverified", "severity=info"], "page-only"),
        (["alertname=DeadMansSwitch", "severity=none"], "dead-mans-switch"),
    ):
        execute("amtool", "config", "routes", "test", f"--config.file={ROOT / path}", f"--verify.receivers={receivers}", *labels,
                check=True)


@pytest.mark.needs("docker-compose")
@pytest.mark.parametrize("path", [ROOT / "docker-compose.yml", COMPOSE], ids=lambda path: path.name)
def test_docker_compose_accepts_the_file_with_the_example_settings(path):
    execute("docker-compose", "-f", path, "--env-file", path.parent / ".env.example", "config", "-q", check=True,
            environment={"COMPOSE_PROFILES": "winpower,demo,redis,kafka,gateway,hub"})


@pytest.fixture(scope="module")
def services():
    """The services without a profile, and those that start without any setting (all but winpower)."""
    done = execute("docker-compose", "-f", COMPOSE, "config", check=True,
                   environment={"COMPOSE_PROFILES": "winpower,demo,redis,kafka,gateway"})
    return yaml.safe_load(done.stdout)["services"]


@pytest.mark.needs("docker-compose")
def test_nothing_is_published_beyond_loopback_or_stopped_over_http(services):
    for name, service in services.items():
        for port in service.get("ports", []):
            assert str(port if isinstance(port, str) else port.get("host_ip", "")).startswith("127.0.0.1"), name
        assert "--web.enable-lifecycle" not in (service.get("command") or []), name
    node = services["node-exporter"]
    assert node["network_mode"] == "host" and any("listen-address=172.17.0.1:" in word for word in node["command"])


@pytest.mark.needs("docker-compose")
@pytest.mark.parametrize("address, password, status", [
    ("127.0.0.1", "admin123", 0), ("0.0.0.0", "admin123", 1), ("0.0.0.0", "x1", 0), ("", "admin123", 1)])
def test_grafana_requires_its_own_password_beyond_loopback(services, address, password, status):
    script = services["grafana"]["entrypoint"][-1].replace("$$", "$").replace("exec /run.sh", "exit 0")
    done = execute("sh", "-c", script, environment={"MONITORING_BIND": address, "GF_SECURITY_ADMIN_PASSWORD": password})
    assert done.returncode == status


def test_services_of_the_exporter_have_read_only_roots_and_no_capabilities():
    for service in yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"].values():
        assert service["read_only"] and service["cap_drop"] == ["ALL"] and "no-new-privileges:true" in service["security_opt"]


def test_dashboards_match_their_definitions():
    execute(sys.executable, ROOT / "scripts/dashboards", "--check", check=True)
