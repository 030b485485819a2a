# SPDX-License-Identifier: MIT
"""The server for Network UPS Tools, tested with the real programs: upsc, upsmon, upscmd, upsrw, upslog, aionut and
nut2. Its replies are compared with those of the real upsd."""

import json
import pathlib
import re
import socket
import ssl
import time

import pytest

from support.programs import execute
from support.waiting import wait_for
from support.web import send

NUT = pathlib.Path("/lib/nut")
USERS = """
[prim]
    password = pw1
    upsmon primary
[sec]
    password = pw2
    upsmon secondary
[none]
    password = pw3
[writer]
    password = pw4
    actions = SET
    instcmds = ALL
"""

pytestmark = pytest.mark.needs("nut-client", "util-linux")


class Site:
    """A simulated WinPower with two UPSes, `office` and `gone`, and an exporter with a NUT server."""

    def __init__(self, programs, settings):
        self.programs, self.settings, self.directory = programs, settings, programs.directory
        self.port, self.winpower_port = programs.port(), programs.port()
        self.users = self.directory / "upsd.users"
        self.users.write_text(USERS)
        self.nut = {
            "enabled": True, "listen": f"127.0.0.1:{self.port}", "users_file": str(self.users), "low_battery_percent": 5,
            "low_battery_runtime": "0s", "stale_after": "6s", "fsd_hold": "5s",
        }
        self.simulator = self.exporter = None
        self.winpower()
        self.configure()
        found = self.devices()
        self.aliases = [device["name"] for device in found]
        self.configure(names=f"{found[0]['id']}=office,{found[1]['id']}=gone")
        self.serve()

    def configure(self, **nut):
        """Writes the settings, with some of them changed."""
        self.nut.update(nut)
        self.config = self.settings(
            self.simulator, server={"enable_reload": True}, history={"enabled": False}, nut=self.nut,
            winpower={"base_url": f"http://127.0.0.1:{self.winpower_port}", "username": "admin", "password": "simulator"},
            scheduler={"graceful_shutdown_timeout": "1s"})

    def reload(self, **nut):
        self.configure(**nut)
        reply = send(self.exporter.url + "/-/reload", "PUT")
        assert reply.status == 200 and not reply.json().get("need_restart"), reply.text

    def serve(self):
        self.exporter = self.programs.exporter(self.config)
        wait_for("the UPS is served", lambda: "ups.status" in self.upsc(f"office@127.0.0.1:{self.port}").stdout)

    def winpower(self, scenario="normal", devices=2):
        """Replaces the simulator, on the same port and with the same devices."""
        self.stop_winpower()
        self.simulator = self.programs.simulator("--devices", devices, "--scenario", scenario, port=self.winpower_port)

    def stop_winpower(self):
        if self.simulator:
            self.simulator.stop()
            self.simulator = None

    def devices(self):
        done = self.programs.run("devices", "--format", "json", "--config", self.config, check=True)
        return json.loads(done.stdout)["devices"]

    def upsc(self, *arguments):
        return execute("upsc", *arguments)

    def status(self, ups="office"):
        done = self.upsc(f"{ups}@127.0.0.1:{self.port}", "ups.status")
        return done.stdout.strip() or done.stderr.strip().splitlines()[-1]

    def wait_for_status(self, *words):
        wait_for(f"the status has {words}", lambda: set(words) <= set(self.status().split()))

    def logins(self):
        return int(exchange(self.port, ["GET NUMLOGINS office"])[0].split()[-1])

    def metric(self, name):
        return self.exporter.metrics()["winpower_exporter_nut_" + name]

    def upsmon(self, name, role="secondary", user="sec", password="pw2", host="127.0.0.1", more=""):
        return Upsmon(self, name, role, user, password, host, more)

    def fleet(self):
        """A primary and two secondaries, all logged in."""
        machines = [self.upsmon("primary", "primary", "prim", "pw1"), self.upsmon("second"), self.upsmon("third")]
        wait_for("three machines are logged in", lambda: self.logins() == 3)
        return machines

    def wait_for_polls(self, machines, count):
        """Waits until each machine has polled this often and none has shut down."""

        def commands():
            return sum(value for series, value in self.exporter.metrics().items() if "nut_commands_total" in series)

        before = commands()

        def have_polled():
            assert_none_shut_down(machines)
            return commands() - before >= count * len(machines)

        wait_for(f"each machine has polled {count} times", have_polled)
        assert_none_shut_down(machines)


class Upsmon:
    """A machine: upsmon with files that record its notifications and its shutdown."""

    def __init__(self, site, name, role, user, password, host, more):
        self.name, self.home = name, site.directory / name
        self.home.mkdir()
        notify = self.home / "notify"
        notify.write_text(f'#!/bin/sh\necho "$NOTIFYTYPE" >> {self.home}/notified\n')
        notify.chmod(0o755)
        kinds = "ONLINE ONBATT LOWBATT FSD COMMOK COMMBAD SHUTDOWN NOCOMM".split()
        (self.home / "upsmon.conf").write_text(
            f"MONITOR office@{host}:{site.port} 1 {user} {password} {role}\nMINSUPPLIES 1\nRUN_AS_USER root\n{more}"
            f'SHUTDOWNCMD "date +%s.%N > {self.home}/down"\nNOTIFYCMD {notify}\nPOLLFREQ 1\nPOLLFREQALERT 1\n'
            f"HOSTSYNC 8\nDEADTIME 4\nFINALDELAY 1\nPOWERDOWNFLAG {self.home}/killpower\n"
            + "".join(f"NOTIFYFLAG {kind} EXEC\n" for kind in kinds))
        (self.home / "upsmon.conf").chmod(0o600)
        # upsmon runs once per machine, because of a file in /run/nut, so each gets its own /run/nut.
        own = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs tmpfs /run/nut && exec "$@"', "sh"]
        self.program = site.programs.start(f"upsmon-{name}", [*own, NUT / "upsmon", "-F", "-p"], paths(self.home))

    def down(self):
        """The time of its shutdown; None if it has not shut down."""
        path = self.home / "down"
        text = path.read_text().strip() if path.exists() else ""
        return float(text) if text else None

    def wait_for_notice(self, kind):
        path = self.home / "notified"
        wait_for(f"{self.name} is notified of {kind}", lambda: path.exists() and kind in path.read_text().split())


def paths(directory):
    """The environment with which a NUT program keeps all its files in a directory."""
    return {name: str(directory) for name in ("NUT_CONFPATH", "NUT_STATEPATH", "NUT_ALTPIDPATH", "NUT_PIDPATH")}


def assert_none_shut_down(machines):
    assert [machine.name for machine in machines if machine.down()] == []


@pytest.fixture
def site(programs, settings):
    return Site(programs, settings)


def exchange(port, lines):
    """The replies to lines sent on one connection, followed by `<closed>` if the server closed it."""
    replies = []
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        for line in lines:
            try:
                connection.sendall(line.encode() + b"\n")
                reply = b""
                while not is_finished(reply):
                    reply += connection.recv(65536) or b"<closed>"
            except ConnectionError:
                reply = b"<closed>"
            replies.append(reply.decode())
            if reply.endswith(b"<closed>"):
                break
    return replies


def is_finished(reply):
    if reply.startswith(b"BEGIN LIST") and not reply.endswith(b"<closed>"):
        return re.search(rb"^END LIST [^\n]*\n\Z", reply, re.M) is not None
    return reply.endswith((b"\n", b"<closed>"))


@pytest.mark.fast
def test_devices_shows_the_configured_names(site):
    assert [device["nut_name"] for device in site.devices()] == ["office", "gone"]


@pytest.mark.fast
def test_upsc_lists_and_reads_the_upses(site):
    listed = site.upsc("-L", f"127.0.0.1:{site.port}").stdout
    assert "office: UPS" in listed and "gone: UPS" in listed
    values = site.upsc(f"office@127.0.0.1:{site.port}").stdout
    assert re.search(r"^ups.status: OL( CHRG)?$", values, re.M)
    for name in ("battery.charge", "battery.runtime", "input.voltage", "ups.load", "device.model"):
        assert re.search(rf"^{name}: .", values, re.M), name
    done = site.upsc(f"nope@127.0.0.1:{site.port}")
    assert "Unknown UPS" in done.stderr and done.returncode != 0


@pytest.mark.fast
def test_commands_and_writes_are_rejected(site):
    ups, writer = f"office@127.0.0.1:{site.port}", ("-u", "writer", "-p", "pw4")
    assert execute("upscmd", "-l", ups).returncode == 0
    done = execute("upscmd", *writer, ups, "load.off")
    assert "CMD-NOT-SUPPORTED" in done.stdout + done.stderr
    done = execute("upsrw", "-s", "ups.status=OL", *writer, ups)
    assert re.search("read-?only", done.stdout + done.stderr, re.I)


def test_upslog_records_the_status(site, programs, tmp_path):
    log = tmp_path / "upslog.txt"
    programs.start("upslog", ["upslog", "-s", f"office@127.0.0.1:{site.port}", "-l", log, "-i", "1", "-f",
                              "%VAR ups.status% %VAR battery.charge%", "-u", "root", "-F"])
    wait_for("upslog writes", lambda: re.search(r"^OL.* [0-9.]+$", log.read_text(), re.M))


@pytest.mark.needs("python3-venv")
def test_aionut_and_nut2_read_the_upses(site, virtualenv):
    script = f"""
import asyncio, json
from aionut import AIONUTClient
from nut2 import PyNUTClient

async def main():
    client = AIONUTClient(host="127.0.0.1", port={site.port}, username="sec", password="pw2", persistent=False)
    return await client.list_ups(), await client.list_vars("office"), await client.description("office")

upses, values, description = asyncio.run(main())
nut2 = PyNUTClient(host="127.0.0.1", port={site.port}, login="sec", password="pw2")
print(json.dumps([upses, values, description, nut2.list_ups(), nut2.list_vars("office"), nut2.list_commands("office"),
                  nut2.get_var("office", "ups.status")]))
"""
    done = execute(virtualenv("aionut==4.3.4", "nut2==2.1.1"), "-c", script, check=True)
    upses, values, description, upses2, values2, commands, status = json.loads(done.stdout.splitlines()[-1])
    assert upses["office"].startswith("UPS") and description == upses["office"] == upses2["office"]
    assert values["ups.status"].startswith("OL") and values2["ups.status"].startswith("OL") and status.startswith("OL")
    assert not any(commands)


CONVERSATIONS = [
    ["NETVER", "PROTVER", "netver", "FOO", "", "  ", '""', '"NETVER"', "NETVER # x", "#NETVER"],
    ["LIST UPS", "LIST RW nope", "LIST CLIENT office", "LIST ENUM office ups.status", "LIST RANGE office ups.status", "LIST",
     "LIST FOO", "LIST VAR", "LIST VAR nope", "LIST UPS extra", "LIST CLIENT", "LIST ENUM office", "LIST ENUM office nope",
     "LIST RANGE office nope", "LIST VAR gone", "LIST RW gone", "LIST CLIENT gone", "LIST CMD gone", "LIST CMD nope",
     "list ups"],
    ["GET", "GET VAR", "GET VAR office", "GET VAR office ups.status", "GET VAR OFFICE UPS.STATUS", "GET VAR office nope",
     "GET VAR nope ups.status", "GET VAR gone ups.status", "GET VAR office ups.status extra", "GET VAR office battery.charge",
     "GET TYPE office ups.status", "GET TYPE office battery.charge", "GET TYPE office nope", "GET TYPE gone ups.status",
     "GET TYPE office server.info", "GET TYPE office", "GET DESC office ups.status", "GET DESC office nope.x",
     "GET DESC gone ups.status", "GET DESC nope ups.status", "GET CMDDESC office nope", "GET CMDDESC nope load.off",
     "GET CMDDESC gone load.off", "GET UPSDESC office", "GET UPSDESC nope", "GET UPSDESC", "GET NUMLOGINS office",
     "GET NUMLOGINS gone", "GET NUMLOGINS nope", "GET NUMLOGINS", "GET TRACKING", "GET TRACKING abc", "GET FOO",
     "GET FOO office", 'GET VAR "office" "ups.status"', "GET VAR 'office' x"],
    ["LOGIN office", "USERNAME prim", "LOGIN office", "USERNAME x", "PASSWORD pw1", "PASSWORD pw1", "LOGIN", "LOGIN nope",
     "LOGIN office", "LOGIN office", "GET NUMLOGINS office", "LIST CLIENT office", "PRIMARY office", "MASTER office", "PRIMARY",
     "PRIMARY nope", "FSD", "FSD nope", "LOGIN gone", "USERNAME", "PASSWORD", "LOGOUT"],
    ["USERNAME sec", "PASSWORD pw2", "LOGIN office", "PRIMARY office", "FSD office", "INSTCMD office load.off",
     "SET VAR office ups.status OL", "SET", "SET VAR", "SET FOO x y z", "INSTCMD", "INSTCMD office", "INSTCMD nope x",
     "LOGOUT"],
    ["USERNAME none", "PASSWORD pw3", "LOGIN office", "PRIMARY office", "FSD office"],
    ["USERNAME prim", "PASSWORD bad", "LOGIN office"],
    ["USERNAME nobody", "PASSWORD bad", "LOGIN office"],
    ["USERNAME prim", "PASSWORD pw1", "INSTCMD office load.off", "SET VAR office ups.status OL", "SET VAR office nope OL",
     "SET VAR nope x y", "LOGIN gone", "SET TRACKING ON"],
    ["STARTTLS", "NETVER"],
    ["USERNAME a b", 'USERNAME "a b"', "USERNAME a", "LOGOUT x"],
    ["FSD office", "PRIMARY office", "SET VAR a b c", "INSTCMD a b", "SET", "INSTCMD", "FSD", "PRIMARY", "LOGIN"],
    ["USERNAME u", "PASSWORD", "PASSWORD a b", "FSD office"],
    ["VER", "HELP", "VER=1", "GET = VAR"],
    ["USERNAME writer", "PASSWORD pw4", "SET VAR office nope OL", "LOGIN office"],
]
# Intentional differences per line; docs/nut.md gives the reasons.
DIFFERENT = {"VER", "HELP", "VER=1", "SET TRACKING ON", "GET NUMLOGINS gone", "GET TYPE office ups.status",
             "GET TYPE office battery.charge"}


@pytest.mark.needs("nut-server")
def test_replies_match_upsd(site, programs, free_port):
    site.winpower(devices=1)
    wait_for("a removed UPS is not connected", lambda: "Driver not connected" in site.status("gone"))
    home, port = site.directory / "upsd", free_port()
    home.mkdir()
    values = dict(line.split(": ", 1) for line in site.upsc(f"office@127.0.0.1:{site.port}").stdout.splitlines())
    (home / "office.dev").write_text(f"ups.status: {values['ups.status']}\nbattery.charge: {values['battery.charge']}\n")
    for name, text in (
        ("ups.conf", "".join(f'[{name}]\n driver = dummy-ups\n port = office.dev\n desc = "{alias}"\n'
                             for name, alias in zip(("office", "gone"), site.aliases))),
        ("upsd.conf", f"LISTEN 127.0.0.1 {port}\n"),
        ("upsd.users", USERS),
    ):
        (home / name).write_text(text)
        (home / name).chmod(0o640)
    programs.start("dummy-ups", [NUT / "dummy-ups", "-u", "root", "-a", "office", "-D"], paths(home))
    wait_for("dummy-ups runs", lambda: (home / "dummy-ups-office").exists())
    programs.start("upsd", [NUT / "upsd", "-u", "root", "-F"], paths(home))
    wait_for("upsd answers", lambda: exchange(port, ["GET VAR office battery.charge"])[0].startswith("VAR"))
    unexpected = []
    for lines in CONVERSATIONS:
        theirs, ours = exchange(port, lines), exchange(site.port, lines)
        for line, one, other in zip(lines, theirs, ours):
            if line == "GET VAR office battery.charge":  # it is charging
                one, other = (re.sub(r"[0-9.]+", "N", text) for text in (one, other))
            if one != other and line not in DIFFERENT:
                unexpected.append(f"{line!r}: upsd {one!r}, ours {other!r}")
        if len(theirs) != len(ours):
            unexpected.append(f"{lines}: upsd {len(theirs)} replies, ours {len(ours)}")
    assert unexpected == []


def test_an_outage_shuts_all_machines_down_the_primary_last(site):
    machines = site.fleet()
    primary, *secondaries = machines
    site.winpower("on-battery")
    site.wait_for_status("OB")
    for machine in machines:
        machine.wait_for_notice("ONBATT")
    site.wait_for_polls(machines, 3)
    low = time.time()
    site.reload(low_battery_percent=100)  # like an operator: the battery is low but not empty
    wait_for("all have shut down", lambda: all(machine.down() for machine in machines))
    assert all(low < machine.down() < primary.down() for machine in secondaries)
    assert {"FSD", "OB", "LB"} <= set(site.status().split())
    assert site.metric("forced_shutdowns_total") == 1
    assert "Forced shutdown" in site.exporter.messages()
    for machine in machines:
        machine.program.stop()
    wait_for("nobody is logged in", lambda: site.logins() == 0)


def test_a_forced_shutdown_ends_after_the_mains_are_stable(site):
    site.reload(fsd_hold="1h")
    site.winpower("on-battery")
    site.wait_for_status("OB")
    forced = exchange(site.port, ["USERNAME prim", "PASSWORD pw1", "LOGIN office", "PRIMARY office", "FSD office"])
    assert forced[-1] == "OK FSD-SET\n"
    site.winpower()
    site.wait_for_status("FSD", "OL")
    started = site.upsmon("started-again")
    wait_for("a restarted machine logs in", lambda: site.logins() == 1)
    site.wait_for_polls([started], 4)
    assert site.status().startswith("FSD OL")
    site.reload(fsd_hold="1s")
    wait_for("the forced shutdown ends", lambda: site.status().startswith("OL"))
    site.wait_for_polls([started], 3)


def test_mains_that_return_before_the_battery_is_low_shut_nothing_down(site):
    machines = site.fleet()
    site.winpower("on-battery")
    for machine in machines:
        machine.wait_for_notice("ONBATT")
    site.winpower()
    for machine in machines:
        machine.wait_for_notice("ONLINE")
    site.wait_for_polls(machines, 8)


def test_without_winpower_on_mains_nothing_shuts_down(site):
    machines = site.fleet()
    site.stop_winpower()
    wait_for("the data is stale", lambda: "Data stale" in site.status())
    for machine in machines:
        machine.wait_for_notice("COMMBAD")
    site.wait_for_polls(machines, 10)  # longer than DEADTIME
    site.winpower()
    site.wait_for_status("OL")


def test_without_winpower_on_battery_all_shut_down(site):
    machines = site.fleet()
    site.winpower("on-battery")
    for machine in machines:
        machine.wait_for_notice("ONBATT")
    site.stop_winpower()
    wait_for("all shut down by DEADTIME", lambda: all(machine.down() for machine in machines))
    for machine in machines:
        machine.program.stop()
    site.winpower()
    site.wait_for_status("OL")


def test_a_restart_on_battery_never_shows_the_mains(site):
    site.winpower("on-battery")
    site.wait_for_status("OB")
    site.exporter.stop()
    site.exporter, seen = site.programs.exporter(site.config), set()

    def has_settled():
        seen.add(exchange(site.port, ["GET VAR office ups.status"])[0].strip())
        return site.exporter.metrics().get("winpower_exporter_collection_duration_seconds_count", 0) >= 4

    wait_for("some cycles are over", has_settled)
    assert not [text for text in seen if re.search(r'[" ]OL', text)]
    assert [text for text in seen if re.search(r'[" ]OB', text)]


@pytest.fixture
def encrypted(site, certificates):
    certificate, key = certificates.issue("exporter")
    key.chmod(0o600)
    site.reload(tls={"cert_file": str(certificate), "key_file": str(key)})
    return certificates


def starttls(site, data):
    connection = socket.create_connection(("127.0.0.1", site.port), timeout=10)
    connection.sendall(data)
    return connection


@pytest.mark.needs("openssl")
def test_starttls_encrypts_the_rest_of_the_connection(site, encrypted):
    context = ssl.create_default_context(cafile=encrypted.authority)
    with starttls(site, b"STARTTLS\n") as plain:
        assert plain.recv(100) == b"OK STARTTLS\n"
        with context.wrap_socket(plain, server_hostname="localhost") as secure:
            secure.sendall(b"GET VAR office ups.status\nSTARTTLS\n")
            text = b""
            while text.count(b"\n") < 2:
                text += secure.recv(1000)
    assert b'ups.status "' in text and text.endswith(b"ERR ALREADY-SSL-MODE\n")


@pytest.mark.needs("openssl")
def test_plain_text_before_the_handshake_is_not_treated_as_encrypted(site, encrypted):
    with starttls(site, b"STARTTLS\nUSERNAME x\n") as plain:
        text = b""
        while part := plain.recv(100):
            text += part
    assert text == b"OK STARTTLS\n"


def test_the_users_file_is_reread_and_an_invalid_one_is_rejected(site):
    def login(password):
        return exchange(site.port, ["USERNAME sec", f"PASSWORD {password}", "LOGIN office"])[-1]

    site.users.write_text(USERS.replace("pw2", "an0ther"))
    site.exporter.wait_for_record("NUT users were reloaded")
    assert login("an0ther") == "OK\n"
    site.users.write_text("nonsense")
    wait_for("an invalid file is reported", lambda: site.metric("users_file_up") == 0)
    assert login("an0ther") == "OK\n", "the users are unchanged"
    assert "pw1" not in site.exporter.text() and "an0ther" not in site.exporter.text()


@pytest.fixture
def upsmon_over_tls(site, encrypted):
    """Starts an upsmon that trusts these certificates. Debian builds it with NSS."""

    def start(more, *trusted):
        database = site.directory / "nss"
        database.mkdir()
        for arguments in (["-N", "--empty-password"], *(["-A", "-n", "authority", "-t", "CT,,", "-i", path] for path in trusted)):
            execute("certutil", "-d", f"sql:{database}", *arguments, check=True)
        return site.upsmon("tls", host="localhost", more=f"FORCESSL 1\nCERTPATH sql:{database}\n{more}")

    return start


@pytest.mark.needs("openssl", "libnss3-tools")
def test_upsmon_logs_in_over_tls(site, upsmon_over_tls):
    upsmon_over_tls("CERTVERIFY 0\n")
    wait_for("it logs in", lambda: site.logins() == 1)


@pytest.mark.needs("openssl", "libnss3-tools")
def test_upsmon_monitors_the_ups_over_verified_tls(site, upsmon_over_tls, encrypted):
    machine = upsmon_over_tls("CERTVERIFY 1\n", encrypted.authority)
    wait_for("it logs in", lambda: site.logins() == 1)
    site.winpower("on-battery")
    machine.wait_for_notice("ONBATT")
    site.winpower()
    machine.wait_for_notice("ONLINE")
    machine.program.stop()
    wait_for("it has left", lambda: site.logins() == 0)


@pytest.mark.needs("openssl", "libnss3-tools")
def test_upsmon_does_not_log_in_over_tls_with_an_unknown_certificate(site, upsmon_over_tls):
    upsmon_over_tls("CERTVERIFY 1\n")
    wait_for("its handshake fails", lambda: site.metric("tls_handshake_failures_total") > 0)
    assert site.logins() == 0


@pytest.mark.needs("openssl")
def test_a_password_may_be_a_hash(site):
    hashed = execute("openssl", "passwd", "-6", "-stdin", stdin="pw5\n", check=True).stdout.strip()
    site.users.write_text(f"{USERS}[hashed]\n    password = {hashed}\n    upsmon secondary\n")
    site.exporter.wait_for_record("NUT users were reloaded")
    assert exchange(site.port, ["USERNAME hashed", "PASSWORD bad", "LOGIN office"])[-1] == "ERR ACCESS-DENIED\n"
    site.upsmon("hashed", user="hashed", password="pw5")
    wait_for("upsmon logs in", lambda: site.logins() == 1)


def test_configured_names_are_known_without_winpower(site):
    site.exporter.stop()
    site.stop_winpower()
    site.configure(names=site.nut["names"] + ",new=new")
    site.exporter = site.programs.exporter(site.config)
    wait_for("a name is known before any collection", lambda: "Driver not connected" in site.status("new"))
    assert "Unknown UPS" in site.status("nope")
    site.winpower()
    site.wait_for_status("OL")


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
        return True
    except OSError:
        return False


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no ::1")
def test_machines_can_log_in_over_ipv6(site):
    site.exporter.stop()
    site.configure(listen=f"[::1]:{site.port},127.0.0.1:{site.port}")
    site.serve()
    assert site.upsc(f"office@[::1]:{site.port}", "ups.status").stdout.startswith("OL")
    site.upsmon("ipv6", host="[::1]")
    wait_for("upsmon logs in", lambda: site.logins() == 1)
