# SPDX-License-Identifier: MIT
"""`wpexporter node` with common arguments of node_exporter: those of kube-prometheus' DaemonSet, of Debian's package,
and of node_exporter's documentation (Linux)."""

import re

import pytest

from support.programs import execute
from support.web import get

# The arguments of node_exporter in kube-prometheus, in order. Its paths are mounts of the container.
KUBE_PROMETHEUS = [
    "--web.listen-address=127.0.0.1:{port}",
    "--path.sysfs={root}/sys",
    "--path.rootfs={root}/root",
    "--path.udev.data={root}/root/run/udev/data",
    "--no-collector.wifi",
    "--no-collector.hwmon",
    "--no-collector.btrfs",
    "--collector.filesystem.mount-points-exclude=^/(dev|proc|sys|run/k3s/containerd/.+|var/lib/docker/.+|"
    "var/lib/kubelet/pods/.+)($|/)",
    "--collector.netclass.ignored-devices=^(veth.*|[a-f0-9]{{15}})$",
    "--collector.netdev.device-exclude=^(veth.*|[a-f0-9]{{15}})$",
]

# The default values of Debian's prometheus-node-exporter, written out.
DEBIAN = [
    "--web.listen-address=127.0.0.1:{port}",
    "--web.telemetry-path=/metrics",
    "--web.config.file=",
    "--web.max-requests=40",
    "--log.level=info",
    "--log.format=logfmt",
    "--runtime.gomaxprocs=1",
    "--path.procfs=/proc",
    "--path.sysfs=/sys",
    "--path.rootfs=/",
    "--path.udev.data=/run/udev/data",
    "--collector.diskstats.device-exclude=^(ram|loop|fd|(h|s|v|xv)d[a-z]|nvme\\d+n\\d+p)\\d+$",
    "--collector.filesystem.mount-points-exclude="
    "^/(dev|proc|run|sys|mnt|media|var/lib/docker/.+|var/lib/containers/storage/.+)($|/)",
    "--collector.filesystem.fs-types-exclude=^(autofs|binfmt_misc|bpf|cgroup2?|configfs|debugfs|devpts|devtmpfs|fusectl|"
    "hugetlbfs|iso9660|mqueue|nsfs|overlay|proc|procfs|pstore|rpc_pipefs|securityfs|selinuxfs|squashfs|sysfs|tracefs)$",
    "--collector.netclass.ignored-devices=^$",
    "--collector.netdev.device-exclude=^lo$",
    "--collector.powersupply.ignored-supplies=^$",
    "--collector.tapestats.ignored-devices=^$",
    "--collector.textfile.directory={texts}",
    "--collector.vmstat.fields=^(oom_kill|pgpg|pswp|pg.*fault).*",
]


@pytest.fixture
def agent(programs):
    """Starts an agent with arguments of node_exporter, with `{port}` and other placeholders filled in."""

    def start(arguments, **values):
        port = programs.port()
        agent = programs.start("node", [programs.binary, "node", *(text.format(port=port, **values) for text in arguments)])
        agent.url = f"http://127.0.0.1:{port}"
        agent.wait_for("it serves the host", lambda: "node_load1 " in agent.get("/metrics").text)
        return agent

    return start


def test_the_arguments_of_kube_prometheus_start_the_agent(agent, tmp_path):
    (tmp_path / "sys").symlink_to("/sys")
    (tmp_path / "root").symlink_to("/")
    running = agent(KUBE_PROMETHEUS, root=tmp_path)
    text = running.get("/metrics").text
    assert 'collector="cpu"} 1' in text and 'collector="hwmon"' not in text
    assert running.stop() == 0


@pytest.mark.fast
def test_the_arguments_of_debian_start_the_agent(agent, tmp_path):
    (tmp_path / "backup.prom").write_text("# TYPE backup_runs counter\nbackup_runs 3\nprocess_open_fds 99\n")
    running = agent(DEBIAN, texts=tmp_path)
    text = running.get("/metrics").text
    assert re.search(r"^backup_runs 3$", text, re.M)
    assert "process_open_fds 99" not in text and "node_textfile_scrape_error 1" in text, "a file cannot use the agent's metric names"
    assert not re.search(r'^node_network_receive_bytes_total.*device="lo"', text, re.M)
    assert running.stop() == 0


@pytest.mark.fast
def test_a_scrape_can_select_collectors(agent):
    running = agent(["--web.listen-address=127.0.0.1:{port}"])
    text = running.get("/metrics?collect[]=loadavg").text
    assert "node_load1 " in text and "node_cpu_seconds_total" not in text
    assert running.get("/metrics?collect[]=nothing").status == 400
    assert running.stop() == 0


@pytest.mark.needs("prometheus-node-exporter")
def test_every_collector_of_node_exporter_can_be_switched_off(agent):
    usage = execute("prometheus-node-exporter", "--help")
    names = sorted(set(re.findall(r"--collector\.([a-z_]+) ", usage.stdout + usage.stderr)))
    assert len(names) > 60
    running = agent(["--web.listen-address=127.0.0.1:{port}", *(f"--no-collector.{name}" for name in names if name != "loadavg")])
    assert "node_cpu_seconds_total" not in running.get("/metrics").text
    assert running.stop() == 0


def test_a_web_configuration_protects_each_address(programs, tmp_path):
    web = tmp_path / "web.yml"
    web.write_text("basic_auth_users:\n  prometheus: $2y$10$X0h1gDsPszWURQaxFh.zoubFi6DXncSjhoQNJgRrnGs7EsimhC7zG\n")  # "test"
    ports = [programs.port(), programs.port()]
    running = programs.start("node", [programs.binary, "node", f"--web.config.file={web}",
                                      *(f"--web.listen-address=127.0.0.1:{port}" for port in ports)])
    for port in ports:
        running.wait_for(f"port {port} requires a login", lambda: get(f"http://127.0.0.1:{port}/metrics").status == 401)
    assert running.stop() == 0


@pytest.mark.fast
def test_a_wrong_procfs_is_a_startup_error(wpexporter, tmp_path):
    done = wpexporter("node", "--path.procfs", tmp_path, "--port", "0")
    assert done.returncode == 2 and "path.procfs" in done.stderr
