# SPDX-License-Identifier: MIT
"""An exporter that hangs during startup ends on a signal. Needs root for FUSE and a mount namespace."""

import contextlib
import ctypes
import os
import pathlib
import signal

import pytest

from support.names import silent_name_server
from support.programs import PASSWORD
from support.waiting import wait_for

PATIENCE = 10  # seconds; normally about 1. A hung file system hangs forever, and the lookup for 150 s


@contextlib.contextmanager
def hung_mount(path):
    """Mounts a FUSE file system whose server never answers. Yields whether mounting is possible."""
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        yield False
        return
    options = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}"
    is_mounted = libc.mount(b"hung", os.fsencode(path), b"fuse.hung", 0, options.encode()) == 0
    try:
        yield is_mounted
    finally:
        # Hanging calls fail when the connection is closed.
        os.close(device)
        if is_mounted:
            libc.umount2(os.fsencode(path), 2)


def waits_for_fuse(process):
    """Whether a thread of a process waits for a FUSE reply."""
    for task in pathlib.Path(f"/proc/{process}/task").iterdir():
        with contextlib.suppress(OSError):
            channel = task.joinpath("wchan").read_text()
            if "fuse" in channel or "request_wait" in channel:
                return True
    return False


def write_config(directory, host, data):
    path = directory / "config.yaml"
    path.write_text(f"""\
server: {{host: "{host}", port: 0}}
winpower: {{base_url: "http://127.0.0.1:9", username: admin}}
storage: {{data_dir: "{data}"}}
""")
    return path


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_a_start_in_a_hanging_directory_ends_on_a_signal(programs, tmp_path, end):
    data = tmp_path / "hung"
    data.mkdir()
    config = write_config(tmp_path, "127.0.0.1", data)
    with hung_mount(data) as is_possible:
        if not is_possible:
            pytest.skip("FUSE cannot be used here")
        program = programs.start("exporter", [programs.binary, "server", "--config", config], PASSWORD)
        wait_for("a thread waits for the file system", lambda: waits_for_fuse(program.pid))
        program.send_signal(end)
        assert program.wait(timeout=PATIENCE) == 0
    assert "Exporter started" not in program.messages()


@pytest.mark.needs("util-linux")
def test_a_start_during_a_lookup_ends_on_a_signal(programs, tmp_path):
    config = write_config(tmp_path, "exporter.example", tmp_path / "data")
    with silent_name_server(tmp_path) as resolving:
        if resolving is None:
            pytest.skip("no name server or namespace can be created here")
        server, command = resolving
        program = programs.start("exporter", [*command, programs.binary, "server", "--config", config], PASSWORD)
        server.settimeout(60)
        assert server.recv(512), "the exporter looks up its host"
        program.send_signal(signal.SIGTERM)
        assert program.wait(timeout=PATIENCE) == 0
    assert "Exporter started" not in program.messages()
