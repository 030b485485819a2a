# SPDX-License-Identifier: MIT
"""Fixtures of the integration tests, which run the release binary with real programs.

    scripts/integration                      all tests, in parallel
    scripts/integration -k reload -n 0       the tests with "reload" in their name, sequentially
    scripts/integration --repeat 20          each test 20 times
    scripts/integration -m fast              the tests that scripts/check runs

Each of these fixtures is a function that starts a program for one test, waits until it listens, and returns it; the
program is killed at the end of the test. All are methods of `Programs` (support/programs.py).

    simulator(*options, port=0)              a WinPower server: `wpexporter simulate`
    settings(simulator, name=, **sections)   writes a settings file for loopback and returns its path
    exporter(config, *arguments)             `wpexporter server`
    hub(*arguments, data="hub")              `wpexporter hub`
    node(*arguments)                         `wpexporter node`
    prometheus(config)                       Prometheus with .query(expression) and .number(expression)
    pushgateway(*arguments, path="")         a Pushgateway
    postgres(*settings)                      PostgreSQL with .sql(text) and .dsn()
    browser(width=, height=, language=)      Chromium, as a webdriver of python3-selenium
    wpexporter(*arguments)                   runs a command of wpexporter until it exits; a subprocess.CompletedProcess
    free_port()                              a port reserved for this test; for programs that cannot report theirs
    swift_product(name)                      builds a product of this package for debugging; the path of its program
    example(package, name)                   builds a package of Examples/; the path of its program
    once(name, make)                         a directory shared by all tests of a run; the first one fills it
    virtualenv(*requirements)                the python of a virtual environment with packages from PyPI
    certificates                             an authority that issues certificates

A started program has .url, .get(path), .metrics(), .health(), .text(), .records(message), .wait_for_record(message),
.send_signal(number), .stop() and .pid. `programs` has `.start(name, arguments)` for any other program and `.serve(name, *arguments)`
for any command of wpexporter that serves.

A fixture with scope="module" starts programs that several tests of a file share, on `shared_programs`. These tests
only read or restore everything: each passes alone, in any order, and repeatedly. One worker runs all of them, so that
the programs start once.

Nothing sleeps: `wait_for(what, probe)` (support/waiting.py) waits for a condition. The system picks
ports; files are in `tmp_path`. Marks:

    needs("prometheus", "curl")   Debian packages. With WP_GATE=1 they are installed; otherwise the test is skipped without them.
    fast                          for scripts/check: seconds at most
    alone                         measures this machine: no other test runs at the same time

With WP_GATE=1 a skip fails the run unless support/skips.py permits its reason.
"""

import contextlib
import fcntl
import os
import pathlib
import re
import shutil
import venv

import pytest

from support import packages
from support.browser import chromium
from support.certificates import Certificates
from support.programs import ROOT, Programs, execute
from support.skips import Skips

TAIL = 20_000  # characters of a log shown after a failure


def pytest_addoption(parser):
    parser.addoption("--repeat", type=int, default=1, metavar="N", help="run each test N times")


def pytest_configure(config):
    if os.environ.get("WP_GATE") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Skips())


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report():
    report = (yield).get_result()
    # A file that is skipped as a whole reports no tests.
    if os.environ.get("WP_GATE") and report.skipped:
        report.outcome = "failed"


def pytest_generate_tests(metafunc):
    if (count := metafunc.config.getoption("repeat")) > 1:
        metafunc.fixturenames.append("repetition")
        metafunc.parametrize("repetition", range(count))


def pytest_itemcollected(item):
    if "shared_programs" in item.fixturenames and not item.get_closest_marker("xdist_group"):
        item.add_marker(pytest.mark.xdist_group(item.path.stem))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    needed = {item: {name for mark in item.iter_markers("needs") for name in mark.args} for item in items}
    everything = set().union(*needed.values())
    if os.environ.get("WP_GATE"):
        packages.install(everything)
    lacking = set(packages.missing(everything))
    for item, names in needed.items():
        if names & lacking:
            command = " ".join(["scripts/setup", *sorted(names & lacking)])
            item.add_marker(pytest.mark.skip(reason=f"install what it needs: {command}"))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    with turn(item):
        yield


@contextlib.contextmanager
def turn(item):
    """Parallel tests share a lock, which a test marked `alone` holds exclusively. A second lock keeps other tests
    from starting while such a test waits."""
    if not hasattr(item.config, "workerinput"):
        yield
        return
    directory = pathlib.Path(item.config.option.basetemp).parent
    alone = item.get_closest_marker("alone")
    with (directory / "door").open("w") as door, (directory / "room").open("w") as room:
        fcntl.flock(door, fcntl.LOCK_EX)
        fcntl.flock(room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        if not alone:
            fcntl.flock(door, fcntl.LOCK_UN)
        yield


recent = []  # the Programs of the current test, of its file, and those just closed


def pytest_runtest_setup():
    recent[:] = [programs for programs in recent if not programs.is_closed]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    report = (yield).get_result()
    if report.failed:
        for programs in recent:
            for program in programs.started:
                report.sections.append((f"log of {program.name}", program.text()[-TAIL:]))


@contextlib.contextmanager
def running(binary, directory):
    programs = Programs(binary, directory)
    recent.append(programs)
    try:
        yield programs
    finally:
        programs.close()


@pytest.fixture(scope="session")
def binary():
    """The release binary, WP_BINARY."""
    path = os.environ.get("WP_BINARY")
    assert path, "run scripts/integration, which builds the release binary, or set WP_BINARY"
    return pathlib.Path(path).resolve()


@pytest.fixture
def programs(binary, tmp_path):
    with running(binary, tmp_path) as programs:
        yield programs


@pytest.fixture(scope="module")
def shared_programs(binary, tmp_path_factory):
    """For fixtures that the tests of a file share."""
    with running(binary, tmp_path_factory.mktemp("shared")) as programs:
        yield programs


@pytest.fixture
def simulator(programs):
    return programs.simulator


@pytest.fixture
def settings(programs):
    return programs.settings


@pytest.fixture
def exporter(programs):
    return programs.exporter


@pytest.fixture
def hub(programs):
    return programs.hub


@pytest.fixture
def node(programs):
    return programs.node


@pytest.fixture
def prometheus(programs):
    return programs.prometheus


@pytest.fixture
def pushgateway(programs):
    return programs.pushgateway


@pytest.fixture
def postgres(programs):
    return programs.postgres


@pytest.fixture
def wpexporter(programs):
    return programs.run


@pytest.fixture
def free_port(programs):
    return programs.port


@pytest.fixture
def certificates(tmp_path):
    directory = tmp_path / "certificates"
    directory.mkdir()
    return Certificates(directory)


@pytest.fixture
def browser():
    with contextlib.ExitStack() as stack:

        def start(**options):
            driver = chromium(**options)
            stack.callback(driver.quit)
            return driver

        yield start


@pytest.fixture(scope="session")
def swift_product():
    def build(name):
        # SwiftPM serializes builds in one directory.
        execute("swift", "build", "--product", name, cwd=ROOT, timeout=1800, check=True)
        directory = execute("swift", "build", "--show-bin-path", cwd=ROOT, check=True).stdout.strip()
        return pathlib.Path(directory) / name

    return build


@pytest.fixture(scope="session")
def example():
    """The packages share a build directory, so that the libraries are compiled once."""
    scratch = ROOT / "Examples" / ".build"

    def build(package, name, folder=None):
        execute("swift", "build", "--package-path", folder or ROOT / "Examples" / package, "--scratch-path", scratch, timeout=1800,
                check=True)
        return scratch / "debug" / name

    return build


@pytest.fixture(scope="session")
def once(request, tmp_path_factory):
    """once(name, make): a directory shared by all tests of the run and filled by `make(directory)`."""
    home = tmp_path_factory.getbasetemp()
    home = home.parent if hasattr(request.config, "workerinput") else home

    def once(name, make):
        directory = home / f"once-{name}"
        with (home / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not directory.exists():
                directory.mkdir()
                try:
                    make(directory)
                except BaseException:
                    shutil.rmtree(directory)
                    raise
        return directory

    return once


@pytest.fixture(scope="session")
def virtualenv(once):
    def make(*requirements):
        def install(directory):
            venv.create(directory, with_pip=True)
            execute(directory / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements,
                    timeout=300, check=True)

        return once("venv-" + "-".join(re.sub(r"\W", "-", one) for one in requirements), install) / "bin" / "python"

    return make
