# SPDX-License-Identifier: MIT
"""Evaluates node-mixin, the alerts, rules and dashboards of node_exporter's authors, on the metrics of `wpexporter
node` for a machine of Tests/Fixtures/Host with everything that they query.

The directory docs/node-mixin of github.com/prometheus/node_exporter is fetched with git unless WP_NODE_MIXIN names a copy."""

import json
import os
import pathlib
import re

import pytest

from support.programs import execute
from support.waiting import wait_for
from support.web import get

SOURCE = "https://github.com/prometheus/node_exporter"
# The faults of the synthetic machine.
BROKEN = {"NodeRAIDDegraded", "NodeRAIDDiskFailure", "NodeBondingDegraded", "NodeTextFileCollectorScrapeError"}
# Names that do not apply to a Linux machine with the default collectors.
ABSENT = re.compile(r"^node_(systemd_|memory_(internal|purgeable|wired|compressed|total|available)_bytes$|exporter$)")
# Names of recorded series, and of variables in the dashboard sources.
SERIES = re.compile(r"(?<![\w:])node_[a-zA-Z0-9_]+(?![\w:])")


pytestmark = pytest.mark.needs("git", "jsonnet", "prometheus")


@pytest.fixture(scope="module")
def mixin(once):
    """The directory of the mixin."""
    if given := os.environ.get("WP_NODE_MIXIN"):
        return pathlib.Path(given)

    def fetch(directory):
        done = execute("git", "clone", "--quiet", "--depth", "1", SOURCE, directory / "node_exporter", timeout=120,
                       environment={"GIT_TERMINAL_PROMPT": "0"})
        (directory / "outcome").write_text("" if done.returncode == 0 else done.stderr)

    directory = once("node-mixin", fetch)
    if reason := (directory / "outcome").read_text():
        pytest.skip(f"node-mixin cannot be fetched: {reason.splitlines()[0]}")
    return directory / "node_exporter/docs/node-mixin"


@pytest.fixture(scope="module")
def rendered(mixin):
    """The groups of alerts and rules."""
    program = """((import 'config.libsonnet') + (import 'alerts/alerts.libsonnet') + (import 'rules/rules.libsonnet')
        + { _config+:: { nodeExporterSelector: 'job="node"' } })."""
    return {part: json.loads(execute("jsonnet", "-e", program + part, cwd=mixin, check=True).stdout)
            for part in ("prometheusAlerts", "prometheusRules")}


@pytest.fixture(scope="module")
def query(shared_programs, swift_product, rendered):
    """The API of a Prometheus that has scraped the agent four times and evaluated all rules."""
    tree = shared_programs.directory / "tree"
    execute(swift_product("wp-host-probe"), "--write", "server", tree, check=True)
    agent = shared_programs.node("--path.procfs", tree / "proc", "--path.sysfs", tree / "sys", "--path.rootfs", tree / "root",
                                 "--collector.textfile.directory", tree / "root/var/lib/texts")
    for part, groups in rendered.items():
        (shared_programs.directory / f"{part}.json").write_text(json.dumps(groups))
    prometheus = shared_programs.prometheus(json.dumps({
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [f"{part}.json" for part in rendered],
        "scrape_configs": [{"job_name": "node", "static_configs": [{"targets": [f"127.0.0.1:{agent.port}"]}]}],
    }))

    def query(path):
        return get(f"{prometheus.url}/api/v1/{path}").json()["data"]

    wait_for("Prometheus has scraped the agent", lambda: prometheus.number('count_over_time(up{job="node"}[1m])') >= 4)
    wait_for("Prometheus has evaluated all rules", lambda: (found := rules(query)) and all(
        rule["health"] != "unknown" for rule in found))
    return query


def rules(query):
    return [rule for group in query("rules")["groups"] for rule in group["rules"]]


def names(query):
    return set(query("label/__name__/values"))


@pytest.mark.parametrize("part", ["alerts", "rules", "dashboards"])
def test_every_queried_series_exists(query, rendered, mixin, part):
    if part == "dashboards":
        # Reads the sources, which contain the expressions, because rendering them would need another library.
        paths = [*(mixin / "lib").glob("*.libsonnet"), *(mixin / "dashboards").glob("*.libsonnet")]
        text = " ".join(path.read_text() for path in paths)
    else:
        text = " ".join(rule["expr"] for group in rendered[f"prometheus{part.title()}"]["groups"] for rule in group["rules"])
    wanted = {name for name in SERIES.findall(text) if not name.endswith("_") and not ABSENT.match(name)}
    assert wanted and wanted - names(query) == set()


def test_every_rule_evaluates_to_values(query):
    assert [f"{rule['name']}: {rule.get('lastError')}" for rule in rules(query) if rule["health"] != "ok"] == []
    recorded = {rule["name"] for rule in rules(query) if rule["type"] == "recording"}
    wait_for("recorded series have values", lambda: recorded <= names(query))


def test_the_alerts_for_the_faults_are_pending(query):
    wait_for("the alerts are pending", lambda: BROKEN <= {alert["labels"]["alertname"] for alert in query("alerts")["alerts"]})
