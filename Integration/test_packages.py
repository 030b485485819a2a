# SPDX-License-Identifier: MIT
"""The packages: the units with systemd-analyze, the .deb with lintian and in a separate Debian system (installed,
run as its user, upgraded, purged), the archive with its checksum, and `make install`."""

import json
import os
import pathlib
import re
import shutil

import pytest

from support import debian
from support.programs import ROOT, execute
from support.waiting import wait_for
from support.web import get, samples

EXPOSURE = 15  # tenths of a scale up to 10
CONFIG = """\
server: {{host: 127.0.0.1, port: {port}}}
winpower: {{base_url: "{url}", username: admin, password_file: /etc/winpower-exporter/password}}
storage: {{data_dir: /var/lib/winpower-exporter}}
"""
DATA = "/var/lib/winpower-exporter"
# Files of dpkg, and files that change independently of the package.
OWN = re.compile(r"(var/lib/dpkg|var/log|var/cache|proc|dev|tmp|run|var/backups|etc/(passwd|group|shadow|gshadow|subuid|subgid)-?$)")

pytestmark = pytest.mark.xdist_group("debian")


def in_debian(test):
    for mark in (pytest.mark.needs("debootstrap", "dpkg-dev", "util-linux"), pytest.mark.skipif(os.geteuid() != 0, reason="needs root")):
        test = mark(test)
    return test


def unit_files():
    """All units of the repository, in any directory."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if not name.startswith(".")]  # .git and build directories
        yield from (pathlib.Path(folder, name) for name in names if name.endswith((".service", ".socket", ".timer")))


UNITS = sorted(unit_files())
SERVICES = [path for path in UNITS if path.suffix == ".service"]


def assert_exposure(path):
    """systemd rates the exposure of a service below a limit."""
    execute("systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE}", path, check=True)


@pytest.mark.needs("systemd")
def test_systemd_accepts_the_units(binary, tmp_path):
    for path in UNITS:
        text = path.read_text().replace("/usr/local/bin/wpexporter", str(binary))
        (tmp_path / path.name.replace("@.", "@hall.")).write_text(text)
    done = execute("systemd-analyze", "verify", "--man=no", *tmp_path.glob("*"), environment={"SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
                   check=True)
    names = {path.stem.split("@")[0] for path in UNITS}
    assert [line for line in (done.stdout + done.stderr).splitlines() if any(name in line for name in names)] == []


@pytest.mark.needs("systemd")
@pytest.mark.parametrize("path", SERVICES, ids=lambda path: path.name)
def test_a_service_has_a_low_exposure(path):
    assert_exposure(path)


@pytest.mark.fast
def test_the_template_matches_the_unit_except_for_names():
    single, template = (
        [line for line in (ROOT / "deploy" / name).read_text().replace("-%i", "").replace(" (%i)", "").splitlines()
         if line and not line.startswith("#")]
        for name in ("winpower-exporter.service", "winpower-exporter@.service"))
    assert single == [line.replace("/%i.yaml", "/config.yaml") for line in template]


@pytest.fixture
def checkout(binary, tmp_path):
    """A directory with the packaging scripts, and a binary with its manual page and completions."""
    work, built = tmp_path / "checkout", tmp_path / "built"
    for path, arguments in (("share/man/man1/wpexporter.1", ["man"]),
                            ("share/bash-completion/completions/wpexporter", ["completion", "bash"])):
        (built / path).parent.mkdir(parents=True)
        (built / path).write_text(execute(binary, *arguments, check=True).stdout)
    shutil.copy(binary, built / "wpexporter")
    work.mkdir()
    for name in ("Makefile", "LICENSE", "README.md", "README.zh-CN.md", "CHANGELOG.md", "config.example.yaml"):
        shutil.copy(ROOT / name, work)
    for name in ("scripts", "deploy"):
        shutil.copytree(ROOT / name, work / name)
    return work, built


def test_the_archive_has_its_checksum_units_and_manual_page(checkout):
    work, built = checkout
    done = execute(work / "scripts/package", cwd=work, environment={"WP_BINARY": str(built / "wpexporter")}, check=True)
    name = done.stdout.strip().splitlines()[-1].removeprefix("dist/")
    assert execute("sha256sum", "--check", f"{name}.sha256", cwd=work / "dist", check=True).stdout.strip().endswith(": OK")
    listed = execute("tar", "-tzf", name, cwd=work / "dist", check=True).stdout
    assert re.search("/deploy/winpower-exporter@.service$", listed, re.M) and re.search("/share/man/man1/wpexporter.1$", listed, re.M)


@pytest.mark.needs("make")
def test_make_install_installs_the_binary_and_matching_units(checkout, tmp_path):
    work, built = checkout
    shutil.copytree(built, work / "bin")
    execute("make", "--old-file=build", "install", f"DESTDIR={tmp_path}/installed", "PREFIX=/opt/wp", cwd=work, check=True)
    assert execute(tmp_path / "installed/opt/wp/bin/wpexporter", "version", check=True).stdout.startswith("wpexporter")
    unit = (tmp_path / "installed/etc/systemd/system/winpower-exporter.service").read_text()
    assert "ExecStart=/opt/wp/bin/wpexporter" in unit


@in_debian
@pytest.mark.needs("lintian")
def test_lintian_reports_no_errors(binary, tmp_path):
    package = debian.build_package(tmp_path, binary, compressor="xz")
    assert "E: " not in execute("lintian", "--allow-root", "--fail-on", "error", package, timeout=300, check=True).stdout


@pytest.fixture(scope="module")
def packages(once, binary):
    """A directory with two versions of the package."""
    return once("packages", lambda directory: [debian.build_package(directory, binary, version) for version in ("0.1.0", "0.1.0+1")])


class Debian:
    """A Debian in a directory, with the first version of the package installed."""

    def __init__(self, root, packages):
        self.root, self.packages = debian.copy_root(root), packages
        self.before = self.files()
        self.printed = self.install("0.1.0")

    def inside(self, *command):
        done = execute(*debian.enter_command(self.root), "env", "-i", f"PATH={debian.PATH}", "LC_ALL=C", *command, timeout=120, check=True)
        return done.stdout

    def install(self, version):
        (package,) = self.packages.glob(f"winpower-exporter_{version}_*.deb")
        shutil.copy(package, self.root / "tmp/package.deb")
        return self.inside("dpkg", "-i", "/tmp/package.deb")

    def files(self):
        """Every path below the root that should be absent after a purge."""
        paths = (str(path.relative_to(self.root)) for path in self.root.rglob("*"))
        return {path for path in paths if not OWN.match(path)}

    def energy(self, command, *arguments):
        return self.inside("wpexporter", "energy", command, "--data-dir", DATA, *arguments)

    @property
    def account(self):
        return self.inside("getent", "passwd", "winpower-exporter").strip().split(":")


@pytest.fixture(scope="module")
def installed(packages, tmp_path_factory):
    """A Debian with the package, which tests do not change."""
    directory = tmp_path_factory.mktemp("installed")
    machine = Debian(directory / "root", packages)
    yield machine
    debian.remove(machine.root)


@pytest.fixture
def machine(packages, tmp_path):
    """A Debian with the package, for one test only."""
    tmp_path.chmod(0o755)
    machine = Debian(tmp_path / "root", packages)
    yield machine
    debian.remove(machine.root)


@in_debian
def test_the_package_installs_and_prints_the_next_steps(installed):
    assert "Write /etc/winpower-exporter/config.yaml" in installed.printed
    # The second is the former name, that of the Go exporter.
    for name in ("wpexporter", "winpower-g2-exporter"):
        assert installed.inside(name, "version").startswith("wpexporter 0.1.0")


@in_debian
def test_the_account_has_its_directory_and_cannot_log_in(installed):
    account = installed.account
    assert (installed.root / DATA.lstrip("/")).stat().st_uid == int(account[2]) != 0
    assert account[6].endswith("nologin")


@in_debian
@pytest.mark.parametrize("path", [
    "usr/share/man/man1/wpexporter.1.gz", "usr/share/bash-completion/completions/wpexporter",
    "usr/share/zsh/vendor-completions/_wpexporter", "usr/share/fish/vendor_completions.d/wpexporter.fish",
    "lib/systemd/system/winpower-exporter@.service", "lib/systemd/system/winpower-exporter-backup.timer",
    "lib/systemd/system/winpower-node.service", "lib/systemd/system/winpower-hub.service",
    "lib/systemd/system/winpower-hub-backup.timer", "lib/systemd/system/wpexporter-sql.service",
    *(f"usr/share/doc/winpower-exporter/examples/{name}" for name in (
        "node.yaml", "hub.yaml", "oneclick.yaml", "winpower-node-clock.conf", "config.example.yaml")),
    "usr/lib/sysusers.d/winpower-exporter.conf", "usr/lib/tmpfiles.d/winpower-exporter.conf"])
def test_the_package_has_a_file(installed, path):
    assert (installed.root / path).stat().st_size > 0


@in_debian
@pytest.mark.needs("systemd")
def test_the_package_has_all_units_and_enables_none(installed):
    unit = (installed.root / "lib/systemd/system/winpower-exporter.service").read_text()
    assert "User=winpower-exporter" in unit and "ExecStart=/usr/bin/wpexporter" in unit and "DynamicUser=yes" not in unit
    own = [path for path in installed.inside("dpkg", "-L", "winpower-exporter").split() if path.endswith(".service")]
    assert len(own) == len(SERVICES)
    for path in own:
        assert_exposure(installed.root / path.lstrip("/"))
    assert [path for path in (installed.root / "etc/systemd/system").rglob("w*p*") if path.is_symlink()] == []


@in_debian
def test_the_hub_example_is_valid(installed):
    installed.inside("wpexporter", "hub", "--config", "/usr/share/doc/winpower-exporter/examples/hub.yaml", "--data-dir", "/tmp/hub",
                     "--config.print")


@pytest.fixture
def totals(machine, programs, simulator):
    """A function that runs the installed exporter as its user until it has saved totals and a history, and returns the
    totals from its files."""
    port, account = programs.port(), machine.account
    (machine.root / "etc/winpower-exporter/config.yaml").write_text(
        CONFIG.format(port=port, url=simulator("--devices", 3).url))
    password = machine.root / "etc/winpower-exporter/password"
    password.write_text("simulator")
    os.chown(password, 0, int(account[3]))
    password.chmod(0o640)
    if not (machine.root / "dev/null").exists():
        execute("mknod", "-m", "666", machine.root / "dev/null", "c", "1", "3", check=True)

    def totals():
        server = programs.start("packaged", [*debian.enter_command(machine.root, f"{account[2]}:{account[3]}"), "/usr/bin/wpexporter", "server"],
                                {"HOME": "/"})

        def has_saved():
            found = samples(get(f"http://127.0.0.1:{port}/metrics").text)
            return ("winpower_exporter_last_save_timestamp_seconds" in found
                    and any(series.startswith("winpower_device_connected{") for series in found)
                    and (machine.root / DATA.lstrip("/") / "history.db").exists())

        server.wait_for("the exporter has devices, and saves energy and a history", has_saved)
        assert server.stop() == 0
        listed = machine.energy("list", "--format", "json")
        return {entry["device"]: entry["watt_hours"] for entry in json.loads(listed)["devices"]}

    return totals


@in_debian
def test_totals_survive_an_upgrade_and_a_rollback(machine, totals):
    earlier = totals()
    for _ in range(2):  # the backup command overwrites last week's
        machine.energy("export", "--output", "/var/backups/energy-1.json")
    assert (machine.root / "var/backups/energy-1.json").stat().st_size > 0
    machine.install("0.1.0+1")
    assert "0.1.0+1" in machine.inside("dpkg-query", "-W", "winpower-exporter")
    later = totals()
    assert earlier.keys() == later.keys() and all(later[key] >= earlier[key] for key in earlier)
    machine.install("0.1.0")
    assert totals().keys() == later.keys()


@in_debian
def test_a_purge_leaves_nothing(machine, totals):
    assert totals()
    left = {str(path.relative_to(machine.root)) for folder in ("etc/winpower-exporter", DATA.lstrip("/"))
            for path in (machine.root / folder).iterdir()}
    assert {"etc/winpower-exporter/config.yaml", "etc/winpower-exporter/password", f"{DATA.lstrip('/')}/history.db"} <= left
    assert any("/energy." in path for path in left)
    machine.inside("dpkg", "--purge", "winpower-exporter")
    assert machine.files() - machine.before == set()
    assert "winpower" not in (machine.root / "etc/passwd").read_text()
