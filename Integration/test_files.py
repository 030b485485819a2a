# SPDX-License-Identifier: MIT
"""Removes and replaces the files of a running exporter and fills its disk: no saved data is lost, energy totals have
priority over the history, and no second exporter writes to the same directory."""

import contextlib
import os
import pathlib
import sqlite3
import subprocess
import tempfile

import pytest

from support.programs import PASSWORD
from support.waiting import wait_for

OWNER = 12345


@pytest.fixture
def start(programs, simulator):
    """start(data) starts an exporter with a data directory."""
    upstream = simulator("--devices", 2)

    def start(data, **options):
        return programs.serve(
            "exporter", "server", "--host", "127.0.0.1", "--port", "0", "--data-dir", data, "--history.interval", "1s",
            "--scheduler.collection-interval", "1s", "--winpower.base-url", upstream.url, "--winpower.username", "admin",
            environment=PASSWORD, **options)

    return start


def metric(exporter, prefix):
    """The first sample of a series with this prefix."""
    return next(value for series, value in exporter.metrics().items() if series.startswith(prefix))


def points(path):
    """The number of points of a history, and the time of the first point."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        return database.execute("SELECT count(*), min(start) FROM bucket").fetchone()


def logs(exporter, text):
    return any(text in str(message) for message in exporter.messages())


def test_a_removed_history_is_rewritten_from_its_first_point(start, tmp_path):
    data = tmp_path / "data"
    exporter = start(data)
    file = data / "history.db"
    wait_for("points are saved", lambda: file.exists() and metric(exporter, "winpower_exporter_history_writes_total") > 2)
    first = points(file)[1]
    # The database is removed last: without it a new one is created, whose other files must remain.
    for name in ("history.db-wal", "history.db-shm", "history.db"):
        (data / name).unlink(missing_ok=True)
    wait_for("the file is rewritten", file.exists)
    wait_for("the replacement is counted", lambda: metric(exporter, "winpower_exporter_history_file_replacements_total") == 1)
    wait_for("the replacement is logged", lambda: logs(exporter, "removed while it was open"))
    writes = metric(exporter, "winpower_exporter_history_writes_total")
    wait_for("it is open again", lambda: metric(exporter, "winpower_exporter_history_writes_total") > writes)
    file.unlink()
    assert exporter.stop() == 0, "it is removed again, just before the stop"
    assert points(file)[1] == first


def test_a_removed_lock_is_acquired_again(start, programs, tmp_path):
    data = tmp_path / "data"
    exporter = start(data)
    wait_for("totals are saved", lambda: (data / "energy.b.jsonl").exists())
    (data / "energy.lock").unlink()
    wait_for("the lock is acquired again", lambda: (data / "energy.lock").exists())
    wait_for("the removal is logged", lambda: logs(exporter, "lock file of the data directory was removed"))
    second = programs.run("server", "--port", "0", "--data-dir", data, "--winpower.base-url", "http://127.0.0.1:9",
                          "--winpower.username", "admin", environment=PASSWORD)
    assert second.returncode == 1 and str(exporter.pid) in second.stderr
    assert exporter.stop() == 0


def test_energy_totals_are_saved_without_space_for_the_history(start, tmp_path):
    data = tmp_path / "small"
    data.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k,mode=755", "none", data]
    if subprocess.run(mount, stderr=subprocess.DEVNULL).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        exporter = start(data)
        wait_for("totals are saved", lambda: (data / "energy.b.jsonl").exists())
        filler = data / "filler"
        space = os.statvfs(data)
        # Leaves less than one eighth of the space free.
        filler.write_bytes(bytes(max(0, (space.f_bavail - 8) * space.f_frsize)))
        wait_for("the history stops", lambda: metric(exporter, "winpower_exporter_history_up") == 0)
        health = exporter.health()
        assert (health["status"], health["reason"]) == ("degraded", "history")
        energy = "winpower_device_energy_joules_total{"
        before = metric(exporter, energy)
        wait_for("the published totals, which are the saved ones, grow", lambda: metric(exporter, energy) > before)
        assert metric(exporter, 'winpower_exporter_scrape_errors_total{reason="storage"') == 0
        filler.unlink()
        wait_for("with free space the history is saved again", lambda: metric(exporter, "winpower_exporter_history_up") == 1)
        assert exporter.stop() == 0
    finally:
        subprocess.run(["umount", "--lazy", data], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, which can change the owner of files")
def test_a_start_as_root_gives_files_to_the_owner_of_the_directory(start):
    # Other users cannot enter pytest's directories.
    with tempfile.TemporaryDirectory() as directory:
        data = pathlib.Path(directory) / "owned"
        data.mkdir()
        os.chown(data, OWNER, OWNER)
        os.chmod(directory, 0o755)
        exporter = start(data, cwd=directory)
        wait_for("points are saved", lambda: metric(exporter, "winpower_exporter_history_writes_total") > 1)
        assert {path.stat().st_uid for path in data.iterdir()} == {OWNER}
        assert exporter.stop() == 0
        exporter = start(data, cwd=directory, user=OWNER, group=OWNER, extra_groups=[])
        wait_for("its owner opens the history", lambda: exporter.health()["history"]["state"] == "open")
        wait_for("its owner saves the history", lambda: metric(exporter, "winpower_exporter_history_writes_total") > 1)
        assert exporter.stop() == 0
