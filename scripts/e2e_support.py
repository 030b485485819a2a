# SPDX-License-Identifier: MIT
"""What the end-to-end scripts share: checks, waiting, and programs that run in the background.

Everything listens on loopback, on ports that the system picks, and everything is stopped at the end.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
WAIT = 30  # seconds that anything may take to come about

checks = 0


def check(condition, what):
    global checks
    if not condition:
        raise AssertionError(what)
    checks += 1
    print(f"  ok: {what}", flush=True)


def eventually(what, probe):
    """Repeats a probe until it gives something true, and fails with its last answer."""
    deadline = time.monotonic() + WAIT
    last = None
    while time.monotonic() < deadline:
        try:
            last = probe()
            if last:
                check(True, what)
                return last
        except (OSError, urllib.error.URLError, KeyError, IndexError, ValueError) as error:
            last = error
        time.sleep(0.1)
    raise AssertionError(f"not within {WAIT} s: {what}; last: {last!r}")


def get(url, timeout=5):
    with urllib.request.urlopen(url, timeout=timeout) as reply:
        return reply.status, dict(reply.headers), reply.read().decode()


def free_port():
    with contextlib.closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def silent_name_server(directory):
    """A name server on loopback that takes questions and answers none. Gives the beginning of a command that runs another
    program with it as its only resolver; None where the machine does not allow that."""
    resolver, switch = pathlib.Path(directory) / "resolv.conf", pathlib.Path(directory) / "nsswitch.conf"
    resolver.write_text("nameserver 127.9.9.9\noptions timeout:30 attempts:5\n")
    switch.write_text("hosts: dns\n")
    enter = 'mount --bind "$0" /etc/resolv.conf && mount --bind "$1" /etc/nsswitch.conf && shift && exec "$@"'
    command = ["unshare", "--mount", "sh", "-c", enter, resolver, switch]
    with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as server:
        try:
            server.bind(("127.9.9.9", 53))
            allowed = shutil.which("unshare") and subprocess.run(
                [*command, "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
        except OSError:
            allowed = False
        yield command if allowed else None


class Program:
    """A child process whose output goes to a file."""

    def __init__(self, name, arguments, directory, environment=None, **options):
        self.name = name
        self.output = pathlib.Path(directory) / f"{name}-{time.monotonic_ns()}.log"
        self.process = subprocess.Popen(
            [str(argument) for argument in arguments],
            stdin=subprocess.DEVNULL,
            stdout=self.output.open("w"),
            stderr=subprocess.STDOUT,
            cwd=directory,
            env={**os.environ, **(environment or {})},
            **options,
        )

    def text(self):
        return self.output.read_text()

    def records(self):
        for line in self.text().splitlines():
            with contextlib.suppress(ValueError):
                yield json.loads(line)

    def messages(self):
        return [record.get("msg") for record in self.records()]

    def stop(self, with_signal=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(with_signal)
        try:
            return self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"{self.name} did not stop:\n{self.text()}")


class Stack:
    def __init__(self, binary, directory):
        self.binary, self.directory = binary, pathlib.Path(directory)
        self.programs = []

    def start(self, name, arguments, environment=None, **options):
        program = Program(name, arguments, self.directory, environment, **options)
        self.programs.append(program)
        return program

    def stop_all(self):
        for program in reversed(self.programs):
            if program.process.poll() is None:
                program.process.kill()
                program.process.wait()

    def simulator(self, *arguments):
        program = self.start("simulator", [self.binary, "simulate", "--seed", "7", "--format", "json", *arguments])

        def ready():
            if program.process.poll() is not None:
                raise AssertionError(f"the simulator ended:\n{program.text()}")
            return next((record["url"] for record in program.records() if "url" in record), None)

        return program, eventually("the simulator listens", ready)

    def exporter(self, config, environment=None, *arguments):
        program = self.start("exporter", [self.binary, "server", "--config", config, *arguments], environment)
        return program, self.listening(program)

    def listening(self, program):
        """Waits for an exporter and gives the first address that it listens on, as a URL."""

        def ready():
            if program.process.poll() is not None:
                raise AssertionError(f"the exporter ended:\n{program.text()}")
            return next((record for record in program.records() if record.get("msg") == "Listening"), None)

        record = eventually("the exporter listens", ready)
        return f"http{'s' if record['tls'] else ''}://{record['address']}"


def run(scenario):
    """Builds the release binary, runs a scenario in a directory of its own, and ends the script."""
    binary = os.environ.get("WP_BINARY") or subprocess.run(
        [ROOT / "scripts" / "build-release"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    try:
        with tempfile.TemporaryDirectory(prefix="wpexporter-e2e-") as directory:
            stack = Stack(binary, directory)
            try:
                scenario(stack)
            except BaseException:
                for program in stack.programs:
                    print(f"---- {program.name}\n{program.text()[-4000:]}", file=sys.stderr)
                raise
            finally:
                stack.stop_all()
    except AssertionError as error:
        print(f"FAILED: {error}\n{checks} passed, 1 failed", file=sys.stderr)
        sys.exit(1)
    print(f"{checks} passed, 0 failed")
