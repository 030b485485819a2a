# SPDX-License-Identifier: MIT
"""The units of the Debian package under a real systemd: systemd-nspawn boots a small Debian system in which the package
is installed, and the exporter, the agent, the hub and the SQL exporter are started, scraped, reloaded and stopped.
PostgreSQL runs on the host, on loopback. In a second Debian system, the shell blocks of the documents are run as
written. If no container can be booted, for example inside another one, the tests are skipped, or fail with
WP_REQUIRE_NSPAWN=1."""

import contextlib
import json
import os
import re
import shutil
import time

import pytest

from support import debian
from support.debian import write
from support.documents import blocks_of
from support.programs import ROOT, execute
from support.waiting import wait_for
from support.web import get

TOKEN = "a-token-of-the-hub"
EXPORTER = """\
server: {{host: 127.0.0.1, port: {exporter}}}
winpower: {{base_url: "{url}", username: admin, password_file: /etc/winpower-exporter/password}}
storage: {{data_dir: /var/lib/winpower-exporter}}
hub: {{url: "http://127.0.0.1:{hub}", site: hall}}
"""
NODE = """\
server: {{host: 127.0.0.1, port: {node}}}
node: {{name: rack, hub: "http://127.0.0.1:{hub}", push_interval: 1s}}
"""
HUB = """\
server: {{host: 127.0.0.1, port: {hub}}}
history: {{interval: 1s}}
"""
DROP_INS = {
    "winpower-hub": "LoadCredential=hub.token:/etc/winpower-hub/token\nLoadCredential=hub.tokens_file:/etc/winpower-hub/tokens",
    "winpower-node": "LoadCredential=node.hub_token:/etc/winpower-hub/token",
    # The settings also name the password file, which only root can read: the credential replaces it.
    "winpower-exporter": "LoadCredential=hub.token:/etc/winpower-hub/token\n"
                         "LoadCredential=winpower.password:/etc/winpower-exporter/password",
}
UNITS = {"winpower-hub": "hub", "winpower-exporter": "exporter", "winpower-node": "node", "wpexporter-sql": "sql"}
SERIES = re.compile(r"^(node_[a-z]\w*(?:\{[^}]*\})?) (\S+)$", re.MULTILINE)
# Values that differ between two runs.
OWN = re.compile(r"node_(scrape_|processes_state|schedstat_)")
SAME = re.compile(r"node_(filesystem_readonly|filesystem_size|memory_MemTotal|boot_time|network_address_info|network_mtu|os_info|uname)")

pytestmark = [
    pytest.mark.xdist_group("debian"),
    pytest.mark.needs("debootstrap", "dpkg-dev", "libpq5", "postgresql", "systemd-container", "util-linux"),
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root"),
]


def scrape(port, path="/metrics"):
    """The response of a program; the request has the hub's token if there is one."""
    reply = get(f"http://127.0.0.1:{port}{path}", Authorization=f"Bearer {TOKEN}")
    assert reply.status == 200, reply.text
    return reply.text


@contextlib.contextmanager
def booted(programs, root):
    try:
        machine = debian.Machine(programs, root)
    except debian.CannotBoot as error:
        if os.environ.get("WP_REQUIRE_NSPAWN"):
            raise
        pytest.skip(f"systemd-nspawn cannot boot a container here: {str(error)[-300:]}")
    try:
        yield machine
    finally:
        machine.stop()
        debian.remove(root)


@pytest.fixture(scope="module")
def upstream(shared_programs):
    return shared_programs.simulator("--devices", 3).url


@pytest.fixture(scope="module")
def ports(shared_programs):
    return {name: shared_programs.port() for name in UNITS.values()}


@pytest.fixture(scope="module")
def machine(shared_programs, upstream, ports):
    """A Debian with the package, user configuration, and all units started. Tests leave them running."""
    shared_programs.directory.chmod(0o755)
    root = debian.copy_root(shared_programs.directory / "root", *debian.WITH_SYSTEMD)
    package = debian.build_package(root, shared_programs.binary)
    execute(*debian.enter_command(root), "dpkg", "-i", f"/{package.name}", environment={"PATH": debian.PATH}, check=True)
    package.unlink()
    database = shared_programs.postgres()
    database.sql("CREATE DATABASE bitbucket OWNER monitor")
    database.sql("SET ROLE monitor;\n" + (ROOT / "deploy/sql/oneclick-demo.sql").read_text(), database="bitbucket")

    group = int(re.search(r"^winpower-exporter:[^:]*:(\d+):", (root / "etc/group").read_text(), re.MULTILINE)[1])
    write(root, "/etc/winpower-exporter/config.yaml", EXPORTER.format(url=upstream, **ports), 0o640, group)
    write(root, "/etc/winpower-exporter/password", "simulator", 0o600)
    write(root, "/etc/winpower-exporter/node.yaml", NODE.format(**ports), 0o640, group)
    write(root, "/etc/winpower-hub/config.yaml", HUB.format(**ports))
    write(root, "/etc/winpower-hub/token", TOKEN, 0o600)
    write(root, "/etc/winpower-hub/tokens", "node other a-token-of-another-node\n", 0o600)
    queries = (ROOT / "deploy/sql/oneclick.yaml").read_text()
    write(root, "/etc/winpower-exporter/oneclick.yaml",
          queries.replace("port: 8000", f"host: 127.0.0.1\n  port: {ports['sql']}"), 0o640, group)
    write(root, "/etc/winpower-exporter/sql.env", f"DATABASE_URL={database.dsn(database='bitbucket')}\n", 0o600)
    for unit, line in DROP_INS.items():
        write(root, f"/etc/systemd/system/{unit}.service.d/token.conf", f"[Service]\n{line}\n")
    with booted(shared_programs, root) as machine:
        start_all(machine)
        yield machine


def start_all(machine):
    for unit in UNITS:
        machine.inside("systemctl", "start", unit, check=False)
        assert machine.show(unit, "ActiveState")["ActiveState"] == "active", machine.explain_failure(unit)


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_is_ready_once_started_and_has_no_capability(machine, ports, unit):
    machine.inside("systemctl", "restart", unit)
    # Type=notify: the unit is ready when systemctl returns, so no wait is needed.
    assert "\n# TYPE " in scrape(ports[UNITS[unit]])
    found = machine.show(unit, "MainPID", "NRestarts")
    assert found["NRestarts"] == "0"
    status = machine.inside("cat", f"/proc/{found['MainPID']}/status")
    assert re.search(r"^Uid:\t(\d+)", status, re.MULTILINE)[1] != "0"
    assert re.search(r"^CapBnd:\t0+$", status, re.MULTILINE) and re.search(r"^NoNewPrivs:\t1$", status, re.MULTILINE)


@pytest.mark.parametrize("name, sample", [
    ("exporter", r"winpower_device_connected\{"), ("exporter", "winpower_exporter_last_save_timestamp_seconds "),
    ("sql", r"oneclick_pr_num\{"), ("hub", r'winpower_hub_subjects\{kind="node",state="online"\} [1-9]'),
    ("hub", r'winpower_hub_subjects\{kind="ups",state="online"\} 3$')], ids=["devices", "energy", "queries", "nodes", "UPSes"])
def test_the_programs_do_their_work(machine, ports, name, sample):
    wait_for(f"{name} shows {sample}", lambda: re.search(f"^{sample}", scrape(ports[name]), re.MULTILINE))


@pytest.mark.parametrize("unit, arguments, expected", [
    ("winpower-exporter", [], "credential /run/credentials/"), ("winpower-hub", [], "credential /run/credentials/"),
    ("winpower-node", [], "credential /run/credentials/"), ("winpower-exporter", ["devices"], "load")])
def test_check_unit_sees_what_the_service_sees(machine, unit, arguments, expected):
    assert expected in machine.inside("/usr/lib/winpower-exporter/check-unit", unit, *arguments).lower()


def test_root_checks_the_same_settings_without_the_unit(machine):
    found = machine.inside("wpexporter", "check-config", "--config", "/etc/winpower-exporter/config.yaml", check=False)
    assert "/etc/winpower-exporter/password" in found


def test_the_agent_under_its_unit_shows_the_same_as_for_root(machine, ports, programs):
    port = programs.port()
    plain = programs.start("plain-agent", [*machine.enter, "/usr/bin/wpexporter", "node", "--host", "127.0.0.1", "--port", port], {
        "PATH": debian.PATH, "WPNODE_NODE_NAME": "plain", "WPNODE_NODE_HUB": f"http://127.0.0.1:{ports['hub']}",
        "WPNODE_NODE_HUB_TOKEN": TOKEN})
    expected = plain.wait_for("the agent runs as root too", lambda: {
        name: value for name, value in SERIES.findall(scrape(port)) if not OWN.match(name)})

    def hidden():
        shown = dict(SERIES.findall(scrape(ports["node"])))
        same = [name for name in expected if SAME.match(name)]
        assert len(same) > 8 and [name for name in same if name in shown and shown[name] != expected[name]] == []
        return expected.keys() - shown.keys()

    clock = {name for name in expected if name.startswith("node_timex_")}
    assert hidden() == clock != set(), "its unit hides only the clock metrics"

    def processes(name):
        snapshot = json.loads(scrape(ports["hub"], f"/api/v2/clusters/default/node-metrics/{name}"))
        return {(process["pid"], process["name"], process.get("command")) for process in snapshot["processes"]}

    def has_common():
        names = [process[1] for process in processes("rack") & processes("plain")]
        return "systemd" in names and "systemd-journal" in names and names.count("wpexporter") >= 3

    wait_for("the hub shows processes of other users as root sees them", has_common)
    addition = "/etc/systemd/system/winpower-node.service.d/"
    machine.inside("cp", "/usr/share/doc/winpower-exporter/examples/winpower-node-clock.conf", addition)
    try:
        machine.inside("systemctl", "daemon-reload")
        machine.inside("systemctl", "restart", "winpower-node")
        assert hidden() == set(), "with winpower-node-clock.conf it hides nothing"
    finally:
        machine.inside("rm", addition + "winpower-node-clock.conf")
        machine.inside("systemctl", "daemon-reload")
        machine.inside("systemctl", "restart", "winpower-node")


def test_files_belong_to_the_service_users(machine):
    listed = machine.inside("find", "/var/lib/winpower-exporter", "/var/lib/private", "-printf", "%M %U %u %p\\n")
    paths = {line.split(" ", 3)[3]: line.split(" ", 3)[:3] for line in listed.splitlines()}
    hub = machine.show("winpower-hub", "MainPID")["MainPID"]
    user = re.search(r"^Uid:\t(\d+)", machine.inside("cat", f"/proc/{hub}/status"), re.MULTILINE)[1]
    assert paths["/var/lib/private/winpower-hub/history.db"][1] == user
    assert paths["/var/lib/private/winpower-hub"][0] == "drwxr-x---"
    assert paths["/var/lib/winpower-exporter/history.db"][2] == "winpower-exporter"


def test_backups_are_written_and_the_hub_starts_from_one(machine):
    def stats(directory):
        return json.loads(machine.inside("wpexporter", "history", "stats", "--data-dir", directory))

    # A point is saved after its second ends, and the first write may contain only the subjects.
    wait_for("the hub has saved a point", lambda: stats("/var/lib/winpower-hub")["points"])
    for unit, pattern in (("winpower-hub-backup", "/var/lib/winpower-hub-backup/history-*.db"),
                          ("winpower-exporter-backup", "/var/backups/winpower-exporter/energy-*.json")):
        machine.inside("sh", "-c", f"rm -f {pattern}")
        machine.inside("systemctl", "start", unit, check=False)
        assert machine.show(unit, "Result", "ExecMainStatus") == {"Result": "success", "ExecMainStatus": "0"}, machine.explain_failure(unit)
        assert len(machine.inside("sh", "-c", f"ls {pattern}").split()) == 1
        machine.inside("systemctl", "start", f"{unit}.timer")
        assert machine.show(f"{unit}.timer", "NextElapseUSecRealtime")["NextElapseUSecRealtime"] != ""
    # The copy replaces the original.
    copy = "rm -rf /tmp/restored; mkdir /tmp/restored; cp /var/lib/winpower-hub-backup/history-*.db /tmp/restored/history.db"
    machine.inside("sh", "-ec", copy)
    saved = stats("/tmp/restored")
    assert saved["points"] > 0
    assert machine.show("winpower-hub", "NRestarts", "ActiveState") == {"NRestarts": "0", "ActiveState": "active"}
    # As in the comment of the unit.
    machine.inside("sh", "-ec", "systemctl stop winpower-hub; cd /var/lib/winpower-hub; rm -f history.db-wal history.db-shm; "
                   "cp /var/lib/winpower-hub-backup/history-*.db history.db; systemctl start winpower-hub")
    restored = stats("/var/lib/winpower-hub")
    assert restored["first"] == saved["first"] and restored["points"] >= saved["points"]


def test_units_start_reload_and_stop_without_errors(machine):
    machine.inside("systemctl", "stop", *reversed(UNITS))
    begin = time.time()
    start_all(machine)
    try:
        for unit in UNITS:
            machine.inside("systemctl", "reload", unit)
            # The unit may log the reload after the command that requested it has returned.
            wait_for(f"{unit} is active", lambda: machine.show(unit, "ActiveState", "NRestarts")
                     == {"ActiveState": "active", "NRestarts": "0"})
        for unit in reversed(UNITS):
            machine.inside("systemctl", "stop", unit)
            found = machine.show(unit, "ActiveState", "Result", "ExecMainStatus")
            assert found == {"ActiveState": "inactive", "Result": "success", "ExecMainStatus": "0"}, unit
            text = machine.inside("journalctl", "--unit", unit, f"--since=@{begin:.6f}", "--output=json")
            entries = [json.loads(line) for line in text.splitlines()]
            # Messages of systemd and the program; the line contains the program's own level.
            problems = [entry["MESSAGE"] for entry in entries if int(entry["PRIORITY"]) <= 4 or re.search(
                r'level=(WARN|ERROR)|"level":"(warn|error)|^Failed', str(entry["MESSAGE"]), re.IGNORECASE)]
            assert entries and problems == [], unit
    finally:
        start_all(machine)


@pytest.fixture
def documented(programs, upstream, binary, tmp_path):
    """A Debian without the package, in which the shell blocks of the documents run in the directory of an unpacked
    release. Only ports, the hub's name and the password differ."""
    ports = {name: programs.port() for name in ("exporter", "hub", "node", "hall")}
    written = {"9090": ports["exporter"], "8082": ports["hub"], "hub.example.com": "127.0.0.1", "the password": "simulator"}

    def adapted(text):
        for old, new in written.items():
            text = text.replace(old, str(new))
        return text

    tmp_path.chmod(0o755)
    root = debian.copy_root(tmp_path / "plain", *debian.WITH_SYSTEMD)
    release = root / "release"
    release.mkdir()
    shutil.copy(binary, release / "wpexporter")
    shutil.copytree(ROOT / "deploy", release / "deploy")
    socket = release / "deploy/winpower-exporter.socket"
    socket.write_text(adapted(socket.read_text()))
    # As in docs/installation.md: the password file belongs to root, and the credential replaces it.
    (release / "config.yaml").write_text(f"""\
server: {{host: 127.0.0.1, port: {ports['exporter']}}}
winpower: {{base_url: "{upstream}", username: admin, password_file: /etc/winpower-exporter/password}}
storage: {{data_dir: /var/lib/winpower-exporter}}
hub: {{url: "http://127.0.0.1:{ports['hub']}", site: hq}}
""")
    (release / "hall.yaml").write_text(f"""\
server: {{host: 127.0.0.1, port: {ports['hall']}}}
winpower: {{base_url: "{upstream}", username: admin, password: simulator}}
""")
    write(root, "/etc/winpower-hub/token", "a-token-before-the-hubs-own", 0o600)
    with booted(programs, root) as machine:
        # Runs the agent on its own port, whatever a block writes to node.yaml.
        write(root, "/etc/systemd/system/winpower-node.service.d/port.conf",
              f"[Service]\nEnvironment=WPNODE_SERVER_HOST=127.0.0.1 WPNODE_SERVER_PORT={ports['node']}\n")
        machine.type = lambda code: machine.inside("bash", "-euo", "pipefail", "-c", "cd /release\n" + adapted(code))
        machine.ports, machine.root = ports, root
        yield machine


def test_the_document_blocks_set_everything_up(documented):
    blocks = [block for page in ("systemd", "operations", "hub", "node") for block in blocks_of(f"docs/{page}.md")
              if block.kind in ("root", "systemd")]
    assert len(blocks) >= 12
    for block in blocks:
        documented.type(block.code)
    found = documented.inside("/release/deploy/scripts/check-unit", "winpower-exporter@hall")
    assert "/etc/winpower-exporter/hall.yaml" in found
    documented.inside("systemctl", "restart", "winpower-exporter", "winpower-node")
    for name, family in (("exporter", "winpower_device_connected{"), ("node", "node_load1 "), ("hall", "winpower_device_connected{")):
        wait_for(f"{name} serves {family}", lambda: family in scrape(documented.ports[name]))
    token = (documented.root / "etc/winpower-hub/token").read_text().strip()
    address = f"http://127.0.0.1:{documented.ports['hub']}/api/v2/clusters/default/ups"
    wait_for("the hub shows the exporter", lambda: '"hq"' in documented.inside(
        "curl", "-fsS", "-H", f"Authorization: Bearer {token}", address, check=False))
