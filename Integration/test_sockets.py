# SPDX-License-Identifier: MIT
"""Socket activation and notifications of systemd."""

import signal
import socket

import pytest

from support.programs import PASSWORD, ROOT, execute
from support.web import get

pytestmark = pytest.mark.needs("systemd")


def test_inherited_sockets_are_served(programs, simulator, settings, free_port):
    config, port, other = settings(simulator()), free_port(), free_port()
    activator = programs.start(
        "activated",
        ["systemd-socket-activate", f"--listen=127.0.0.1:{port}", f"--listen=[::1]:{other}",
         *(f"--setenv={name}" for name in PASSWORD), programs.binary, "server", "--config", config],
        PASSWORD)
    activator.wait_for("systemd-socket-activate listens", lambda: activator.text().count("Listening on") == 2)
    # The connection that activates the service waits in the backlog until it is served.
    reply = get(f"http://127.0.0.1:{port}/metrics", timeout=60)
    assert reply.status == 200 and "winpower_exporter_up 1" in reply.text
    assert get(f"http://[::1]:{other}/health").status == 200
    listening = activator.records("Listening")
    assert [record["address"] for record in listening] == [f"127.0.0.1:{port}", f"[::1]:{other}"]
    assert all(record["inherited"] for record in listening)
    assert activator.stop() == 0


def test_systemd_accepts_the_units(programs, tmp_path):
    units = []
    for name in ("winpower-exporter.service", "winpower-exporter.socket"):
        units.append(tmp_path / name)
        units[-1].write_text((ROOT / "deploy" / name).read_text().replace("/usr/local/bin/wpexporter", str(programs.binary)))
    done = execute("systemd-analyze", "verify", *units)
    assert done.returncode == 0 and not done.stderr
    execute("systemd-analyze", "security", "--offline=true", "--threshold=20", units[0], check=True)


@pytest.mark.fast
def test_systemd_is_notified_and_sockets_of_another_process_are_ignored(simulator, settings, exporter, tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        path = tmp_path / "notify"
        manager.bind(str(path))
        manager.settimeout(60)
        # Simulates a parent that has not cleared its environment.
        running = exporter(
            settings(simulator()), environment={"LISTEN_PID": "1", "LISTEN_FDS": "1", "NOTIFY_SOCKET": str(path)})
        assert manager.recv(100) == b"READY=1"
        (record,) = running.records("Listening")
        assert record["inherited"] is False
        assert running.get("/health").status == 200
        running.send_signal(signal.SIGTERM)
        assert manager.recv(100) == b"STOPPING=1"
        assert running.wait() == 0
