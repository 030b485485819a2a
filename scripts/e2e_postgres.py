# SPDX-License-Identifier: MIT
"""A PostgreSQL server of Debian's in a temporary directory, for the end-to-end scripts and the benchmark.

It listens on 127.0.0.1 and on a socket in its directory, and never runs as root: root becomes nobody for it.
"""

import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import time

from e2e_support import free_port

USER = "monitor"
PASSWORD = "hunter2/§ecret"
URL_PASSWORD = "hunter2%2F%C2%A7ecret"


def binaries():
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda p: int(p.parts[-3]))
    if not found:
        raise SystemExit("PostgreSQL is not installed: scripts/setup postgresql")
    return found[-1].parent


class Postgres:
    """A server with a superuser `admin` (by the socket, without password) and a role `monitor` with a password."""

    def __init__(self, settings=()):
        self.bin = binaries()
        self.account = pwd.getpwnam("nobody") if os.getuid() == 0 else None
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="pg-"))
        self.data, self.port, self.settings = self.home / "data", free_port(), list(settings)
        if self.account:
            os.chown(self.home, self.account.pw_uid, self.account.pw_gid)
        self.process = None
        self.run("initdb", "-D", self.data, "-U", "admin", "-A", "scram-sha-256", "--auth-local=trust", "-N", "-E", "UTF8", "--locale=C")
        self.start()
        self.sql(f"CREATE ROLE {USER} LOGIN PASSWORD '{PASSWORD}'; CREATE DATABASE shop")

    def demote(self):
        if self.account:
            os.setgroups([])
            os.setgid(self.account.pw_gid)
            os.setuid(self.account.pw_uid)

    def run(self, program, *arguments, check=True):
        return subprocess.run(
            [self.bin / program, *arguments], check=check, capture_output=True, text=True, cwd=self.home,
            preexec_fn=self.demote, env={"PATH": os.environ["PATH"], "HOME": str(self.home)},
        )

    def own(self, path, mode=0o600):
        """Gives a file to the server."""
        if self.account:
            os.chown(path, self.account.pw_uid, self.account.pw_gid)
        os.chmod(path, mode)

    def start(self):
        self.log = (self.home / "server.log").open("a")
        settings = ["fsync=off", "shared_buffers=16MB", f"unix_socket_directories={self.home}",
                    "listen_addresses=127.0.0.1", f"port={self.port}", *self.settings]
        self.process = subprocess.Popen(
            [self.bin / "postgres", "-D", self.data, *(word for one in settings for word in ("-c", one))],
            stdout=self.log, stderr=self.log, preexec_fn=self.demote, cwd=self.home,
        )
        deadline = time.monotonic() + 30
        while self.run("pg_isready", "-h", self.home, "-p", str(self.port), check=False).returncode:
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise AssertionError((self.home / "server.log").read_text())
            time.sleep(0.05)

    def stop(self, with_signal=signal.SIGINT):
        """SIGINT is a fast shutdown: sessions are ended, transactions rolled back."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(with_signal)
            try:
                self.process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                self.process.send_signal(signal.SIGQUIT)
                self.process.wait(timeout=15)
        self.log.close()

    def remove(self):
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)

    def sql(self, text, database="postgres"):
        """Runs statements as the superuser; gives the rows as lists of texts."""
        done = subprocess.run(
            [self.bin / "psql", "-h", self.home, "-p", str(self.port), "-U", "admin", "-d", database, "-XAtq",
             "-v", "ON_ERROR_STOP=1", "-F", "\t"],
            input=text, capture_output=True, text=True,
        )
        if done.returncode:
            raise AssertionError(done.stderr)
        return [line.split("\t") for line in done.stdout.splitlines()]

    def dsn(self, user=USER, password=URL_PASSWORD, database="shop", scheme="postgresql", options=""):
        return f"{scheme}://{user}:{password}@127.0.0.1:{self.port}/{database}{options}"
