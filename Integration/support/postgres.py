# SPDX-License-Identifier: MIT
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile

from .waiting import GaveUp, wait_for

USER = "monitor"
PASSWORD = "hunter2/§ecret"
URL_PASSWORD = "hunter2%2F%C2%A7ecret"


def binaries():
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    assert found, "PostgreSQL is not installed: scripts/setup postgresql"
    return found[-1].parent


class Postgres:
    """A Debian PostgreSQL server on 127.0.0.1 with a superuser `admin` (on its socket, without a password), a role
    `monitor` with a password, and a database `shop`. It never runs as root but as nobody, which cannot enter pytest's
    directories, so it has its own directory."""

    name = "postgres"

    def __init__(self, port, settings=()):
        self.bin = binaries()
        self.account = pwd.getpwnam("nobody") if os.getuid() == 0 else None
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="pg-"))
        self.data, self.port, self.settings = self.home / "data", port, list(settings)
        if self.account:
            os.chown(self.home, self.account.pw_uid, self.account.pw_gid)
        self.process, self.log = None, self.home / "server.log"
        try:
            self.run("initdb", "-D", self.data, "-U", "admin", "-A", "scram-sha-256", "--auth-local=trust", "-N", "-E", "UTF8",
                     "--locale=C")
            self.start()
            self.sql(f"CREATE ROLE {USER} LOGIN PASSWORD '{PASSWORD}'; CREATE DATABASE shop")
        except BaseException:
            self.kill()
            raise

    def demote(self):
        if self.account:
            os.setgroups([])
            os.setgid(self.account.pw_gid)
            os.setuid(self.account.pw_uid)

    def run(self, program, *arguments, check=True):
        done = subprocess.run(
            [self.bin / program, *map(str, arguments)], capture_output=True, text=True, cwd=self.home, preexec_fn=self.demote,
            env={"PATH": os.environ["PATH"], "HOME": str(self.home)},
        )
        assert not check or done.returncode == 0, f"{program}: {done.stdout}{done.stderr}"
        return done

    def own(self, path, mode=0o600):
        """Copies a file to the server."""
        if self.account:
            os.chown(path, self.account.pw_uid, self.account.pw_gid)
        os.chmod(path, mode)

    def start(self):
        settings = ["fsync=off", "shared_buffers=16MB", f"unix_socket_directories={self.home}",
                    "listen_addresses=127.0.0.1", f"port={self.port}", *self.settings]
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [self.bin / "postgres", "-D", self.data, *(word for one in settings for word in ("-c", one))],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=self.demote, cwd=self.home,
            )

        def ready():
            if self.process.poll() is not None:
                raise GaveUp(f"PostgreSQL ended:\n{self.text()}")
            return self.run("pg_isready", "-h", self.home, "-p", self.port, check=False).returncode == 0

        wait_for("PostgreSQL is ready", ready)

    def stop(self, number=signal.SIGINT):
        """SIGINT is a fast shutdown: it ends sessions and rolls transactions back."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            try:
                self.process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                self.process.send_signal(signal.SIGQUIT)
                self.process.wait(timeout=15)

    def kill(self):
        self.stop(signal.SIGQUIT)
        self.last_text = self.text()
        shutil.rmtree(self.home, ignore_errors=True)

    def text(self):
        return self.log.read_text() if self.log.exists() else getattr(self, "last_text", "")

    def sql(self, text, database="postgres"):
        """Runs statements as the superuser; returns the rows as lists of strings."""
        done = subprocess.run(
            [self.bin / "psql", "-h", self.home, "-p", str(self.port), "-U", "admin", "-d", database, "-XAtq",
             "-v", "ON_ERROR_STOP=1", "-F", "\t"],
            input=text, capture_output=True, text=True,
        )
        assert done.returncode == 0, done.stderr
        return [line.split("\t") for line in done.stdout.splitlines()]

    def dsn(self, user=USER, password=URL_PASSWORD, database="shop", scheme="postgresql", options=""):
        return f"{scheme}://{user}:{password}@127.0.0.1:{self.port}/{database}{options}"
