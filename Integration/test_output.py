# SPDX-License-Identifier: MIT
"""Failed output is an error: every command that prints exits with status 1 and reports the reason."""

import os
import resource
import signal
import subprocess

import pytest

from support.waiting import wait_for

pytestmark = pytest.mark.fast

COMMANDS = [
    "version", "version --format json", "--version", "help", "--help", "help server", "server --help", "man",
    "completion bash", "completion zsh", "completion fish",
    "check-config SETTINGS", "check-config --format json SETTINGS",
    "server --config.print SETTINGS", "hub --config.print", "node --config.print",
    "devices SETTINGS", "devices --format json SETTINGS",
    "watch --count 1 SETTINGS", "watch --count 1 --format json SETTINGS",
    "energy list SETTINGS", "energy export SETTINGS",
    "history stats SETTINGS", "history export SETTINGS",
    "node --once", "node --once --format json", "node --watch --format json",
    "healthcheck --url HEALTH", "simulate --port 0", "demo --cycles 1 --no-history",
]


@pytest.fixture(scope="module")
def call(shared_programs):
    """Runs a wpexporter command beside an exporter with devices and a history."""
    upstream = shared_programs.simulator("--devices", 2)
    config = shared_programs.settings(upstream, winpower={"password": "simulator"}, history={"interval": "1s"})
    exporter = shared_programs.exporter(config)

    def call(command, **options):
        words = command.replace("SETTINGS", f"--config {config}").replace("HEALTH", exporter.url + "/health").split()
        return subprocess.run([shared_programs.binary, *words], stderr=subprocess.PIPE, text=True, timeout=60,
                              cwd=shared_programs.directory, **options)

    def points():
        done = call("history export SETTINGS", stdout=subprocess.PIPE)
        return done.returncode == 0 and len(done.stdout.splitlines()) > 2

    wait_for("devices are read", lambda: exporter.health()["collector"]["devices"] == 2)
    wait_for("the history has points", points)
    yield call
    assert exporter.stop() == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_has_exit_status_1_and_is_reported(call, command):
    with open("/dev/full", "w") as full:
        done = call(command, stdout=full)
    assert done.returncode == 1
    assert "the output cannot be written: No space left on device" in done.stderr


@pytest.mark.parametrize("command", ["man", "history export SETTINGS", "node --watch --format json"])
def test_a_closed_pipe_ends_the_command_quietly(call, command):
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w") as output:
        done = call(command, stdout=output)
    assert done.returncode in (0, -signal.SIGPIPE)
    assert not done.stderr


def test_a_backup_without_space_fails_and_leaves_nothing(call, tmp_path):
    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    done = call(f"history backup {tmp_path}/history.db SETTINGS", stdout=subprocess.PIPE, preexec_fn=small_files)
    assert done.returncode == 1 and done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_backup_is_not_overwritten(call, tmp_path):
    command = f"history backup {tmp_path}/history.db SETTINGS"
    assert call(command, stdout=subprocess.PIPE).returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["history.db"]
    assert call(command, stdout=subprocess.PIPE).returncode == 1
