# SPDX-License-Identifier: MIT
"""Changes the settings and the log of a running exporter as an operator would, and reads the log with jq."""

import json
import pathlib
import signal

import pytest

from support.programs import execute
from support.waiting import wait_for
from support.web import send

SECRET = "s3cret-of-the-simulator"

pytestmark = [pytest.mark.fast, pytest.mark.needs("jq")]


class Operator:
    """An exporter with a changing settings file, a log file, two WinPower servers and a systemd credential."""

    def __init__(self, programs):
        self.programs, self.directory, self.started = programs, programs.directory, []
        self.config, self.log = self.directory / "config.yaml", self.directory / "logs" / "exporter.log"
        credentials = self.directory / "credentials"
        credentials.mkdir(mode=0o700)
        password = credentials / "winpower.password"
        password.write_text("simulator\n")
        password.chmod(0o600)
        self.environment = {"ACCOUNT": "admin", "CREDENTIALS_DIRECTORY": str(credentials)}

    def write(self, simulator, more="", data="data"):
        self.config.write_text(f"""\
server: {{host: 127.0.0.1, port: "${{PORT:-0}}", enable_reload: true, enable_pprof: true}}
winpower:
  base_url: {simulator.url}
  username: ${{ACCOUNT}}
storage: {{data_dir: {self.directory}/{data}}}
scheduler: {{collection_interval: 1s}}
logging: {{output: {self.log}, enable_stacktrace: true}}
{more}""")

    def run(self, *arguments, **environment):
        return self.programs.run(*arguments, "--config", self.config, environment={**self.environment, **environment})

    def start(self):
        program = self.programs.start("exporter", [self.programs.binary, "server", "--config", self.config], self.environment)
        # The log goes to a file, which a failure report must include.
        program.output = self.log
        program.wait_for("the log exists", self.log.exists)
        self.programs.listening(program)
        wait_for("the exporter has read its devices", lambda: program.metrics()["winpower_exporter_device_count"] > 0)
        self.started.append(program)
        return program

    def jq(self, filter):
        return execute("jq", "-c", filter, self.log, check=True).stdout


@pytest.fixture
def operator(programs):
    operator = Operator(programs)
    yield operator
    for exporter in operator.started:
        assert exporter.stop() == 0


@pytest.fixture
def three(simulator):
    return simulator("--devices", 3, "--scenario", "steady")


@pytest.fixture
def five(simulator):
    return simulator("--devices", 5, "--scenario", "steady")


def devices(exporter):
    return exporter.metrics()["winpower_exporter_device_count"]


def test_config_print_names_the_source_of_each_setting(operator, three):
    operator.write(three)
    done = operator.run("server", "--config.print", "--format", "json", "--server.max-connections", "10")
    assert done.returncode == 0
    settings = {setting["key"]: setting for setting in json.loads(done.stdout)["settings"]}
    assert settings["server.max_connections"]["flag"] == "--server.max-connections"
    assert settings["winpower.username"]["variables"] == ["ACCOUNT"]
    assert settings["winpower.username"]["line"] == 4
    assert settings["winpower.password_file"]["source"] == "credential"
    text = operator.run("server", "--config.print").stdout
    assert "with ${ACCOUNT}" in text and "credential " in text


def test_check_config_locates_a_fault_and_hides_the_value_of_a_variable(operator, three):
    operator.write(three)
    done = operator.run("check-config", "--format", "json", PORT=SECRET)
    assert done.returncode == 2
    fault = json.loads(done.stdout)["faults"][0]
    assert (fault["key"], fault["line"]) == ("server.port", 1)
    assert SECRET not in done.stdout + done.stderr


def test_sighup_reloads_the_settings_without_losing_a_cycle(operator, three, five):
    operator.write(three)
    exporter = operator.start()
    assert devices(exporter) == 3
    operator.write(five, "energy: {max_gap: 2m}\n")
    exporter.send_signal(signal.SIGHUP)
    wait_for("it reads the other server", lambda: devices(exporter) == 5)
    assert exporter.metrics()["winpower_exporter_config_last_reload_successful"] == 1
    assert json.loads(operator.jq('select(.msg == "Settings reloaded")'))["changed"] == "winpower.base_url energy.max_gap"
    assert not operator.jq('select(.msg == "Collection failed")')


def test_sighup_rejects_invalid_settings_and_logs_all_faults_once(operator, three, five):
    operator.write(five)
    exporter = operator.start()
    operator.write(three, "energy: {max_gap: 1ms}\nserver_: 1\n")
    exporter.send_signal(signal.SIGHUP)
    wait_for("they are rejected", lambda: exporter.metrics()["winpower_exporter_config_last_reload_successful"] == 0)
    (record,) = [json.loads(line) for line in operator.jq('select(.level == "error")').splitlines()]
    assert len(record.get("stacktrace", "").splitlines()) >= 5
    assert "energy.max_gap" in record["error"] and "config.yaml:9:1: there is no setting `server_`" in record["error"]
    assert devices(exporter) == 5, "the previous settings remain in effect"


def test_reload_over_http_returns_the_result(operator, three, five):
    operator.write(five)
    exporter = operator.start()
    url = exporter.url + "/-/reload"
    operator.write(three, "energy: {max_gap: 1ms}\nserver_: 1\n")
    reply = send(url, "PUT")
    assert reply.status == 422 and len(reply.json()["faults"]) == 2
    operator.write(three, "energy: {max_gap: 3m}\n", data="elsewhere")
    assert send(url, "POST").status == 403, "a form on another site can send a POST"
    reply = send(url, "POST", headers={"X-Requested-With": "test"})
    assert reply.status == 200 and reply.json()["need_restart"] == ["storage.data_dir"]
    wait_for("it reads the other server", lambda: devices(exporter) == 3)
    assert not (operator.directory / "elsewhere").exists()
    assert (operator.directory / "data").exists()


def test_the_log_is_json_without_passwords(operator, three):
    operator.write(three)
    exporter = operator.start()
    assert operator.jq('select(.msg == "Device data collected") | .duration_ms')
    assert operator.jq('select(.msg | contains("Token"))')
    assert exporter.stop() == 0
    assert "simulator\"" not in operator.log.read_text()


def test_the_level_of_one_module_changes_while_it_runs(operator, three):
    operator.write(three)
    exporter = operator.start()
    reply = send(exporter.url + "/debug/log-level", "PUT", "info,collector=debug")
    assert reply.status == 200 and reply.json() == {"level": "info", "modules": {"collector": "debug"}}
    wait_for("it is in effect", lambda: operator.jq('select(.level == "debug" and .module == "collector" and .cycle > 0)'))
    assert not operator.jq('select(.level == "debug" and .module != "collector")')
    assert send(exporter.url + "/debug/log-level", "PUT", "loud").status == 400


def test_a_renamed_log_file_is_reopened(operator, three):
    operator.write(three)
    exporter = operator.start()
    moved = operator.log.with_suffix(".log.1")
    operator.log.rename(moved)
    exporter.send_signal(signal.SIGUSR1)
    wait_for("SIGUSR1 reopens it", lambda: operator.log.exists() and operator.jq('select(.msg == "Log output reopened")'))
    send(exporter.url + "/debug/log-level", "PUT", "debug")
    operator.log.rename(moved)
    wait_for("a rename is detected without a signal", lambda: operator.log.exists() and operator.log.stat().st_size > 0)


def test_the_debug_page_shows_the_state_of_the_process(operator, three):
    operator.write(three)
    exporter = operator.start()
    state = wait_for("there are some cycles", lambda: (
        found := exporter.get("/debug/state.json").json()) and len(found["parts"]["cycles"]) > 3 and found)
    assert state["process"]["thread_count"] > 1
    names = [(task / "comm").read_text().strip() for task in pathlib.Path(f"/proc/{exporter.pid}/task").iterdir()]
    assert "http-server" in names
    assert state["process"]["descriptors"]["kinds"]["socket"] >= 2
    # On a busy machine, single turns of the loop can take longer.
    wait_for("the loop is responsive", lambda: 0 < exporter.get("/debug/state.json").json()["server"]["loop"]["lag_seconds"] < 1)
    page = exporter.get("/debug/").text
    assert "<h2>Settings</h2>" in page and "<script" not in page
