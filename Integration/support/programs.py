# SPDX-License-Identifier: MIT
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import urllib.parse

from .ports import Ports
from .postgres import Postgres
from .prometheus import Prometheus, Pushgateway
from .waiting import GaveUp, wait_for
from .web import get, samples

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PASSWORD = {"WINPOWER_EXPORTER_WINPOWER_PASSWORD": "simulator"}  # accepted by the simulator
SCRAPE = 0.3  # maximum median seconds of a scrape on a busy machine, while a dependency of the program is unavailable


def execute(*arguments, environment=None, stdin="", timeout=60, check=False, **options):
    """Runs a program until it exits and captures its output as text. With `check`, any exit status other than 0 is a
    failure."""
    arguments = [str(argument) for argument in arguments]
    done = subprocess.run(arguments, input=stdin, capture_output=True, text=True, timeout=timeout,
                          env={**os.environ, **(environment or {})}, **options)
    assert not check or done.returncode == 0, f"{arguments} ended with {done.returncode}: {done.stdout}{done.stderr}"
    return done


class Program:
    """A child process that writes its output to a file."""

    def __init__(self, name, arguments, directory, environment=None, **options):
        self.name, self.url = name, None
        count = len(list(directory.glob(f"{name}-*.log")))
        self.output = directory / f"{name}-{count + 1}.log"
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [str(argument) for argument in arguments], env={**os.environ, **(environment or {})},
                **{"stdin": subprocess.DEVNULL, "stdout": output, "stderr": subprocess.STDOUT, "cwd": directory, **options},
            )

    @property
    def pid(self):
        return self.process.pid

    @property
    def is_running(self):
        return self.process.poll() is None

    @property
    def port(self):
        return urllib.parse.urlsplit(self.url).port

    def text(self):
        return self.output.read_text(errors="replace")

    def records(self, message=None):
        """The JSON records of the log, or only those with a message."""
        found = []
        for line in self.text().splitlines():
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
        return [record for record in found if isinstance(record, dict) and message in (None, record.get("msg"))]

    def messages(self):
        return [record.get("msg") for record in self.records()]

    def wait_for(self, what, probe):
        """Waits for a condition; fails immediately if the program exits first."""

        def running():
            was_running = self.is_running
            found = probe()
            if not found and not was_running:
                raise GaveUp(f"{self.name} ended with {self.process.returncode} before this: {what}\n{self.text()[-4000:]}")
            return found

        return wait_for(what, running)

    def wait_for_record(self, message):
        return self.wait_for(f"the log of {self.name} has {message!r}", lambda: self.records(message))[0]

    def get(self, path="/", **headers):
        return get(self.url + path, **headers)

    def metrics(self):
        return samples(self.get("/metrics").text)

    def health(self):
        return self.get("/health").json()

    def send_signal(self, number):
        self.process.send_signal(number)

    def wait(self, timeout=60):
        try:
            return self.process.wait(timeout=timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.name} did not end within {timeout} s")

    def stop(self, number=signal.SIGTERM):
        """Ends the program with a signal and returns its exit status."""
        if self.is_running:
            self.send_signal(number)
        return self.wait()

    def kill(self):
        if self.is_running:
            self.process.kill()
        self.process.wait()


class Programs:
    """Starts programs in one working directory, listening on loopback; `close` ends all of them."""

    def __init__(self, binary, directory):
        self.binary, self.directory = binary, pathlib.Path(directory)
        self.started, self.ports, self.is_closed = [], Ports(), False

    def start(self, name, arguments, environment=None, **options):
        """Starts any program. Accepts the options of subprocess.Popen."""
        program = Program(name, arguments, self.directory, environment, **options)
        self.started.append(program)
        return program

    def close(self):
        for program in reversed(self.started):
            program.kill()
        self.ports.close()
        self.is_closed = True

    def port(self):
        """A free port reserved until `close`."""
        return self.ports.pick()

    def run(self, *arguments, environment=None, **options):
        """Runs a command of wpexporter until it exits."""
        return execute(self.binary, *arguments, environment=environment, **{"cwd": self.directory, **options})

    def settings(self, simulator=None, name="config", **sections):
        """Writes a settings file and returns its path: loopback, its own data directory, one cycle per second, and
        the simulator's address. Merges the given sections."""
        document = {
            "server": {"host": "127.0.0.1", "port": 0},
            "winpower": {"base_url": simulator.url, "username": "admin"} if simulator else {},
            "storage": {"data_dir": str(self.directory / f"data-{name}")},
            "scheduler": {"collection_interval": "1s"},
        }
        for section, values in sections.items():
            document[section] = {**document.get(section, {}), **values}
        path = self.directory / f"{name}.yaml"
        # JSON is YAML.
        path.write_text(json.dumps({key: value for key, value in document.items() if value}, indent=2, default=str) + "\n")
        return path

    def simulator(self, *options, port=0):
        program = self.start(
            "simulator", [self.binary, "simulate", "--seed", "7", "--format", "json", "--port", port, *options])
        program.url = program.wait_for(
            "the simulator listens", lambda: [record for record in program.records() if "url" in record])[0]["url"]
        return program

    def serve(self, name, *arguments, environment=None, **options):
        """Starts a command of wpexporter that serves HTTP and waits until it listens; `url` is its first address."""
        program = self.start(name, [self.binary, *arguments], environment, **options)
        self.listening(program)
        return program

    def listening(self, program):
        """Waits until a program that was started in another way listens, and sets its `url`."""
        record = program.wait_for_record("Listening")
        program.url = f"http{'s' if record['tls'] else ''}://{record['address']}"

    def exporter(self, config, *arguments, environment=None, **options):
        return self.serve("exporter", "server", "--config", config, *arguments,
                          environment={**PASSWORD, **(environment or {})}, **options)

    def hub(self, *arguments, data="hub", environment=None, **options):
        return self.serve("hub", "hub", "--host", "127.0.0.1", "--port", "0", "--data-dir", self.directory / data, *arguments,
                          environment=environment, **options)

    def node(self, *arguments, environment=None, **options):
        return self.serve("node", "node", "--host", "127.0.0.1", "--port", "0", *arguments, environment=environment, **options)

    def prometheus(self, config, **options):
        return Prometheus(self, config, **options)

    def pushgateway(self, *arguments, path=""):
        return Pushgateway(self, *arguments, path=path)

    def postgres(self, *settings):
        server = Postgres(self.port(), settings)
        self.started.append(server)
        return server


@contextlib.contextmanager
def temporary_programs():
    """For scripts: programs with the release binary (WP_BINARY, or a new build) in a temporary directory."""
    binary = os.environ.get("WP_BINARY") or execute(ROOT / "scripts" / "build-release", timeout=3600, check=True).stdout.strip()
    with tempfile.TemporaryDirectory(prefix="wpexporter-") as directory:
        programs = Programs(pathlib.Path(binary).resolve(), directory)
        try:
            yield programs
        finally:
            programs.close()
