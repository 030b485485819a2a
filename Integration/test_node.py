# SPDX-License-Identifier: MIT
"""Compares `wpexporter node` on this machine with mpstat, free, iostat, sar and ps under generated load. Tests
its pushes to a hub that stops, restarts and requires a token, and its output (Linux)."""

import concurrent.futures
import contextlib
import fcntl
import http.server
import json
import os
import pathlib
import pty
import re
import signal
import ssl
import subprocess
import sys
import termios
import threading
import time
import urllib.parse

import pytest

from support import load
from support.programs import execute
from support.waiting import wait_for
from support.web import send

SPAN = 8  # seconds over which the tools and the agent are compared
TOKEN = "open-sesame-of-the-hub"
HOSTILE = b"\x1b]0;me\x07\xc2\x9b"  # a process name: a terminal escape sequence, at most 15 bytes


class Metrics:
    """One scrape."""

    def __init__(self, agent):
        self.samples = {}
        for line in agent.get("/metrics").text.splitlines():
            if found := re.fullmatch(r"([a-z_A-Z0-9:]+)(?:\{(.*)\})? (\S+)", line):
                labels = frozenset(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', found[2] or ""))
                self.samples[found[1], labels] = float(found[3])

    def get(self, name, **labels):
        return self.samples[name, frozenset(labels.items())]

    def sum(self, name, **labels):
        return sum(value for (other, pairs), value in self.samples.items() if other == name and labels.items() <= pairs)


def close_to(theirs, relative, absolute):
    """A value of the agent that may differ slightly from that of the tool."""
    return pytest.approx(theirs, rel=relative, abs=absolute)


def table(text, mark):
    """The rows of the last table whose heading contains a word, keyed by the first column that is not a time."""
    lines = [block.splitlines() for block in text.split("\n\n") if mark in block][-1]
    at = next(index for index, line in enumerate(lines) if mark in line)
    head = lines[at].split()
    return [dict(zip(head, line.split())) for line in lines[at + 1:] if line.split()]


def root_disk():
    """The name of the block device of the root file system, if the kernel has its statistics."""
    number = os.stat("/").st_dev
    wanted = f"{os.major(number)}:{os.minor(number)}"
    for path in pathlib.Path("/sys/class/block").iterdir():
        with contextlib.suppress(OSError):
            if (path / "dev").read_text().strip() == wanted:
                return path.name
    return None


@pytest.mark.alone
@pytest.mark.needs("procps", "sysstat")
def test_the_agent_agrees_with_the_tools_of_the_machine(programs, node, wpexporter):
    agent = node("--collect.interval", "500ms", "--collect.cpu-interval", "200ms")
    pids = {name: programs.start(name, [sys.executable, load.__file__, name]).pid for name in load.KINDS}
    wait_for("the load has started", lambda: all((programs.directory / name).exists() for name in ("load", "hoarded")))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        before, started = Metrics(agent), time.monotonic()
        cpu, disks, net = [
            pool.submit(execute, *command, str(SPAN), "1", check=True, environment={"S_COLORS": "never", "LC_ALL": "C"})
            for command in (["mpstat"], ["iostat", "-dxky"], ["sar", "-n", "DEV"])]
        memory = execute("free", "-b", check=True).stdout
        cpu, disks, net = (one.result().stdout for one in (cpu, disks, net))
        seconds, after = time.monotonic() - started, Metrics(agent)
    # More than the default ten processes, because on a busy machine this load may not be among them.
    shown = wpexporter("node", "--once", "--format", "json", "--collect.top-processes", "500", check=True)
    snapshot = json.loads(shown.stdout)
    resident = dict(map(int, line.split()) for line in execute("ps", "-eo", "pid,rss", check=True).stdout.splitlines()[1:])

    def grown(name, **labels):
        return after.sum(name, **labels) - before.sum(name, **labels)

    theirs = table(cpu, "%usr")[-1]
    for column, mode in {"%usr": "user", "%sys": "system", "%idle": "idle", "%iowait": "iowait"}.items():
        ours = grown("node_cpu_seconds_total", mode=mode) / grown("node_cpu_seconds_total") * 100
        assert ours == close_to(float(theirs[column]), 0.2, 10), column

    rows = {line.split()[0]: line.split()[1:] for line in memory.splitlines()[1:]}
    assert before.get("node_memory_MemTotal_bytes") == float(rows["Mem:"][0])
    assert before.get("node_memory_MemAvailable_bytes") == close_to(float(rows["Mem:"][5]), 0.05, 256 << 20)
    assert before.get("node_memory_SwapTotal_bytes") == float(rows["Swap:"][0])
    used = 100 - snapshot["memory"]["available"] / snapshot["memory"]["total"] * 100
    assert snapshot["memory"]["usage_percent"] == close_to(used, 0, 0.1)

    # Skipped if the root file system has no device that iostat lists.
    if theirs := next((row for row in table(disks, "Device") if row["Device"] == root_disk()), None):
        written = grown("node_disk_written_bytes_total", device=root_disk()) / seconds
        assert written > 1 << 20, "the load is measured"
        assert written / 1024 == close_to(float(theirs["wkB/s"]), 0.4, 2048)
        for name, column, scale, relative, absolute in (("writes_completed", "w/s", 1, 0.4, 20), ("io_time_seconds", "%util", 100, 0.3, 15)):
            ours = grown(f"node_disk_{name}_total", device=root_disk()) / seconds * scale
            assert ours == close_to(float(theirs[column]), relative, absolute), column

    theirs = next(row for row in table(net, "IFACE") if row["IFACE"] == "lo")
    for column, name, scale in (("rxkB/s", "receive_bytes", 1024), ("txkB/s", "transmit_bytes", 1024), ("rxpck/s", "receive_packets", 1)):
        assert grown(f"node_network_{name}_total", device="lo") / seconds / scale == close_to(float(theirs[column]), 0.4, 50), column

    readable = 0
    for path in pathlib.Path("/sys/class/hwmon").glob("*/temp*_input"):
        with contextlib.suppress(OSError, ValueError):
            int(path.read_text())
            readable += 1
    assert len([key for key in after.samples if key[0] == "node_hwmon_temp_celsius"]) == readable

    shares = [process.get("cpu_percent") or 0 for process in snapshot["processes"]]
    assert shares == sorted(shares, reverse=True)
    by_pid = {process["pid"]: process for process in snapshot["processes"]}
    greedy, modest = (by_pid.get(pids[name]) for name in ("greedy", "modest"))
    assert greedy and (not modest or greedy["cpu_percent"] > modest["cpu_percent"])
    assert greedy["mem_rss"] / 1024 == close_to(resident[pids["greedy"]], 0.05, 512)
    assert "cmdline" not in greedy, "command lines are excluded unless they are enabled"


@pytest.mark.fast
def test_health_is_ok_and_sighup_does_not_end_the_agent(node, wpexporter):
    agent = node()
    assert agent.health()["status"] == "ok"
    assert wpexporter("healthcheck", "--url", agent.url + "/health").stdout == "ok\n"
    agent.send_signal(signal.SIGHUP)
    assert agent.stop() == 0


class Receiver:
    """A scripted hub that records what it receives."""

    def __init__(self, port, certificate=None):
        self.status, self.received, self.tokens, self.times, self.certificate, self.server = 200, [], [], [], certificate, None
        self.port, receiver = port, self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.times.append(time.monotonic())
                receiver.tokens.append(self.headers.get("Authorization"))
                if receiver.status == 200:
                    receiver.received.append((self.path, json.loads(body)))
                text = b'{"status":"ok"}' if receiver.status == 200 else b'{"error":"not today"}'
                self.send_response(receiver.status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.handler = Handler

    def start(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), self.handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # a client that does not trust the certificate
        if self.certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*self.certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        if self.server:
            self.server.shutdown()
            self.server.server_close()


@pytest.fixture
def receiver(free_port):
    """A scripted hub that is not yet started."""
    receiver = Receiver(free_port())
    yield receiver
    receiver.stop()


@pytest.fixture
def token(tmp_path):
    path = tmp_path / "token"
    path.write_text(TOKEN)
    path.chmod(0o600)
    return path


@pytest.fixture
def pusher(node, receiver, token):
    """An agent that pushes every second."""
    return node("--node.push-interval", "1s", "--node.push-retry-delay", "100ms", "--node.push-timeout", "1s",
                "--node.hub-token-file", token,
                environment={"NODE_NAME": "e2e", "METRICS_AGENT_ADDR": f"127.0.0.1:{receiver.port}"})


def failures(agent, reason):
    return Metrics(agent).get("winpower_node_push_failures_total", reason=reason)


@pytest.mark.fast
def test_snapshots_are_buffered_and_arrive_in_order(pusher, receiver):
    wait_for("health reports the missing hub", lambda: pusher.health()["reason"] == "hub")
    wait_for("it buffers snapshots", lambda: pusher.health()["hub"]["buffered_snapshots"] >= 3)
    assert failures(pusher, "unreachable") > 0
    receiver.start()
    wait_for("it sends them once the hub listens", lambda: len(receiver.received) >= 4)
    times = [snapshot["timestamp"] for _, snapshot in receiver.received]
    assert times == sorted(times)
    assert {path for path, _ in receiver.received} == {"/metrics/node"}
    assert set(receiver.tokens) == {f"Bearer {TOKEN}"}
    wait_for("the agent is healthy again", lambda: pusher.health()["status"] == "ok")
    wait_for("pushes are counted", lambda: Metrics(pusher).get("winpower_node_pushes_total") >= 4)
    assert time.time() - Metrics(pusher).get("winpower_node_push_last_success_timestamp_seconds") < 60
    assert pusher.stop() == 0
    assert TOKEN not in pusher.text()


@pytest.mark.fast
def test_a_snapshot_has_the_documented_format(pusher, receiver):
    receiver.start()
    # The first snapshots have no rates.
    snapshot = wait_for("a snapshot with rates arrives", lambda: next(
        (snapshot for _, snapshot in receiver.received if "usage_percent" in snapshot["cpu"]), None))
    assert snapshot["node_name"] == "e2e"
    assert {"timestamp", "hostname", "os", "kernel", "uptime", "cpu", "memory", "disks", "networks", "processes"} <= set(snapshot)
    assert {"usage_percent", "user_percent", "per_core", "load_1"} <= set(snapshot["cpu"])


def test_a_rejected_token_is_reread_and_not_retried_immediately(pusher, receiver, token):
    receiver.status = 401
    receiver.start()
    wait_for("a rejected token counts as a failure", lambda: "401" in (pusher.health()["hub"].get("error") or ""))
    wait_for("the push is retried", lambda: len(receiver.times) >= 4)
    assert all(later - earlier > 0.3 for earlier, later in zip(receiver.times[:4], receiver.times[1:4])), "not after the retry delay"
    assert failures(pusher, "unauthorized") > 0
    token.write_text("another")
    wait_for("the token is reread", lambda: receiver.tokens[-1] == "Bearer another")
    assert TOKEN not in pusher.text() and "another" not in pusher.text()


def test_a_hub_error_is_counted_and_temporary(pusher, receiver):
    receiver.status = 503
    receiver.start()
    wait_for("an error counts as a failure", lambda: "503" in (pusher.health()["hub"].get("error") or ""))
    assert failures(pusher, "server") > 0
    receiver.status = 200
    wait_for("the agent recovers", lambda: (health := pusher.health())["status"] == "ok" and health["hub"]["buffered_snapshots"] == 0)


@pytest.mark.needs("openssl")
def test_pushes_over_tls_trust_the_configured_authority(node, receiver, certificates):
    receiver.certificate = certificates.issue("hub")
    receiver.start()
    arguments = ("--node.push-interval", "1s", "--node.hub", f"https://127.0.0.1:{receiver.port}")
    agent = node(*arguments)
    wait_for("an unknown certificate is rejected", lambda: failures(agent, "tls") >= 1)
    assert receiver.received == []
    assert agent.stop() == 0
    agent = node(*arguments, "--node.hub-ca-file", certificates.authority)
    wait_for("it is accepted with the authority", lambda: receiver.received)
    assert agent.stop() == 0


@pytest.mark.needs("openssl")
def test_tls_and_a_token_protect_the_agent_and_sighup_applies_new_ones(programs, certificates, tmp_path):
    certificate, key = certificates.issue("agent")
    config = tmp_path / "guarded.yaml"

    def write(token, level="info", interval="5s"):
        config.write_text(f"""\
server:
  host: 127.0.0.1
  port: 0
  tls: {{cert_file: "{certificate}", key_file: "{key}"}}
  auth: {{bearer_token: "{token}"}}
collect: {{interval: {interval}}}
logging: {{level: {level}}}
""")
        config.chmod(0o600)

    write("first-token")
    agent = programs.serve("guarded", "node", "--config", config)
    assert agent.url.startswith("https://")
    trust = ssl.create_default_context(cafile=certificates.authority)

    def status(token=None, path="/metrics"):
        return send(agent.url + path, headers={"Authorization": f"Bearer {token}"} if token else {}, context=trust).status

    assert status() == status("another") == 401
    assert status("first-token") == status(path="/health") == 200
    write("second-token", level="debug", interval="7s")
    agent.send_signal(signal.SIGHUP)
    wait_for("the new token is accepted", lambda: status("second-token") == 200)
    assert status("first-token") == 401
    assert "collect.interval" in {record["setting"] for record in agent.records() if "needs a restart" in record["msg"]}
    write("third-token", level="loud")
    agent.send_signal(signal.SIGHUP)
    wait_for("invalid settings are rejected", lambda: any("rejected" in line for line in agent.messages()))
    assert status("second-token") == 200
    assert "-token" not in agent.text()
    assert agent.stop() == 0


def test_a_real_hub_shows_the_node_and_its_history(node, hub, token):
    receiving, name = hub(environment={"WINPOWER_EXPORTER_HUB_TOKEN": TOKEN}), "node \u65b0/1"
    node("--node.name", name, "--node.hub", receiving.url, "--node.hub-token-file", token)

    def known(path=""):
        reply = receiving.get("/api/v2/clusters/default/node-metrics" + path, Authorization=f"Bearer {TOKEN}")
        assert reply.status == 200, reply.text
        return reply.json()

    entry = wait_for("the hub shows the node", lambda: known()["nodes"].get(name))
    assert entry["state"] == "online" and entry["processes"]
    with open("/proc/meminfo") as memory:
        total = next(int(line.split()[1]) * 1024 for line in memory if line.startswith("MemTotal"))
    assert entry["memory"]["total"] == known()["summary"]["total_memory"] == total
    # The first snapshot has no rates.
    history = f"/{urllib.parse.quote(name, safe='')}/history"
    point = wait_for("its history begins", lambda: next(
        (point for point in known(history)["history"] if "cpu_usage" in point), None))
    assert point["cpu_usage_min"] <= point["cpu_usage"] <= point["cpu_usage_max"]


@pytest.fixture
def hostile(programs):
    """A busy process whose name is a terminal escape sequence."""
    process = programs.start("hostile", [
        sys.executable, "-c", f"import ctypes\nctypes.CDLL(None).prctl(15, {HOSTILE!r}, 0, 0, 0)\nwhile True: pass"])
    wait_for("the process has its name",
             lambda: HOSTILE in pathlib.Path(f"/proc/{process.pid}/comm").read_bytes())
    return process


def controls(text):
    return [character for character in text if (ord(character) < 32 and character != "\n") or 0x7F <= ord(character) < 0xA0]


def test_a_hostile_name_is_harmless_in_table_and_json(hostile, wpexporter):
    text = wpexporter("node", "--once", "--collect.top-processes", "50", check=True).stdout
    assert "\\u{1b}" in text and controls(text) == []
    text = wpexporter("node", "--once", "--collect.top-processes", "50", "--format", "json", check=True).stdout
    assert controls(text) == []
    named = {process["pid"]: process["name"] for process in json.loads(text)["processes"]}
    assert named[hostile.pid].encode().startswith(b"\x1b]")


def test_watch_prints_documents_until_it_is_ended(binary):
    with subprocess.Popen([binary, "node", "--watch", "--format", "json", "--collect.interval", "500ms"],
                          stdout=subprocess.PIPE, text=True) as watch:
        first, second = (json.loads(watch.stdout.readline()) for _ in range(2))
        watch.send_signal(signal.SIGTERM)
        assert watch.wait(timeout=60) == 0
    assert first["timestamp"] < second["timestamp"]


def test_watch_draws_a_screen_until_q_and_restores_the_terminal(programs, hostile):
    terminal, end = pty.openpty()
    termios.tcsetwinsize(end, (40, 120))
    os.set_blocking(terminal, False)
    watch = programs.start("watch", [programs.binary, "node", "--watch"], {"TERM": "xterm"}, stdin=end, stdout=end, stderr=end,
                           start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    output = b""

    def shown():
        nonlocal output
        with contextlib.suppress(BlockingIOError):
            output += os.read(terminal, 65536)
        return output

    wait_for("the screen is drawn", lambda: b"PROCESS" in shown())
    os.write(terminal, b"q")
    wait_for("it ends", lambda: shown() and not watch.is_running)
    assert watch.wait() == 0
    assert shown().rstrip().endswith(b"\x1b[?1049l") and HOSTILE[:5] not in output
    for descriptor in (terminal, end):
        os.close(descriptor)


@pytest.mark.fast
def test_unavailable_collectors_can_only_be_switched_off(wpexporter):
    command = ("node", "--once", "--format", "json")
    assert wpexporter(*command, "--no-collector.wifi", "--no-collector.hwmon", check=True).stdout
    done = wpexporter(*command, "--collector.wifi")
    assert done.returncode == 2 and "--collector.wifi" in done.stderr


@pytest.mark.fast
def test_a_screen_needs_a_terminal(wpexporter):
    done = wpexporter("node", "--watch")
    assert done.returncode == 2 and "terminal" in done.stderr
