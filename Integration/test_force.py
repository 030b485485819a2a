# SPDX-License-Identifier: MIT
"""Attacks an exporter while a well-behaved client scrapes continuously: slowhttptest in its four modes with 1,000
connections each, more slow connections than the server accepts, 10,000 idle ones, and descriptor exhaustion."""

import http.client
import pathlib
import resource
import socket
import threading
import time

import pytest

from support.waiting import wait_for

DEVICES = 75
ATTACK = 8  # seconds of slowhttptest
SLOW = 1000  # connections of an attack
IDLE = 10_000
IDLE_BYTES = 10_000  # maximum bytes per idle connection
DESCRIPTORS = 100
SOON = 20  # seconds until a new connection is served, much less than the idle timeout
# Maximum seconds of the median scrape and of any scrape: on a busy machine some wait for a processor. A server that
# waited for slow clients would need seconds for each.
MEDIAN, WORST = 0.1, 5

pytestmark = [pytest.mark.alone, pytest.mark.needs("slowhttptest")]


class Target:
    """An exporter with a large fleet."""

    def __init__(self, programs, upstream, connections, server=None, **options):
        config = programs.settings(
            upstream, name=f"to-{connections}", server={"max_connections": connections, **(server or {})})
        self.program = programs.exporter(config, **options)
        wait_for("the devices are read", lambda: len(self.scrape()) > 300_000)

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.program.port), timeout=10)

    def keep(self):
        return http.client.HTTPConnection("127.0.0.1", self.program.port, timeout=10)

    def scrape(self, connection=None):
        """Scrapes over a persistent or a new connection."""
        connection = connection or self.keep()
        connection.request("GET", "/metrics")
        response = connection.getresponse()
        body = response.read()
        assert response.status == 200
        return body

    def descriptors(self):
        return self.program.metrics()["process_open_fds"]

    def resident_bytes(self):
        status = pathlib.Path(f"/proc/{self.program.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) * 1024


class Scraper(threading.Thread):
    """Scrapes continuously, over new connections and over a persistent one, and records the duration of each
    scrape."""

    def __init__(self, target):
        super().__init__(daemon=True)
        self.target, self.times, self.failure, self.is_over = target, [], None, threading.Event()

    def run(self):
        kept = self.target.keep()
        while not self.is_over.wait(0.05):
            for connection in (None, kept):
                began = time.monotonic()
                try:
                    self.target.scrape(connection)
                except (ConnectionError, http.client.HTTPException) as error:
                    # A server may close a connection between two requests; the next request opens another.
                    if connection is None:
                        self.failure = error
                        return
                    kept.close()
                    continue
                except Exception as error:
                    self.failure = error
                    return
                self.times.append(time.monotonic() - began)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *failure):
        self.is_over.set()
        self.join()

    def verify(self):
        assert self.failure is None, repr(self.failure)
        times = sorted(self.times)
        assert len(times) > 20
        median = times[len(times) // 2]
        print(f"{len(times)} scrapes, median {median * 1e3:.1f} ms, worst {times[-1] * 1e3:.1f} ms")
        assert median < MEDIAN and times[-1] < WORST


@pytest.fixture(scope="module", autouse=True)
def descriptors_of_the_client():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert hard >= IDLE + 100, f"{IDLE} connections need as many descriptors, and the limit is {hard}: raise it (ulimit -n)"
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture(scope="module")
def upstream(shared_programs):
    return shared_programs.simulator("--devices", DEVICES, "--scenario", "steady")


@pytest.fixture(scope="module")
def target(shared_programs, upstream):
    return Target(shared_programs, upstream, 1024)


def test_scrapes_without_an_attack_are_fast(target):
    with Scraper(target) as scraper:
        wait_for("there are enough scrapes", lambda: len(scraper.times) >= 60 or not scraper.is_alive())
    scraper.verify()


@pytest.mark.parametrize(
    "options, connections, held",
    [
        ("-H -i 5", SLOW, SLOW / 2),
        ("-B -i 5 -s 8192", SLOW, 0),
        ("-R -a 1 -b 3000", SLOW, 0),
        ("-X -w 512 -y 1024 -n 5 -z 32 -k 3", SLOW, SLOW / 2),
        ("-H -i 5", 4000, 1000),
    ],
    ids=["slow headers", "slow bodies", "ranges", "slow reading", "more slow headers than connections"],
)
def test_scrapes_continue_during_an_attack(programs, target, options, connections, held):
    with Scraper(target) as scraper:
        attack = programs.start("slowhttptest", [
            "nice", "slowhttptest", "-c", connections, "-r", 500, "-l", ATTACK, "-u", target.program.url + "/metrics", "-v", 0,
            *options.split(),
        ])
        most = 0

        def is_over():
            nonlocal most
            most = max(most, target.descriptors())
            return not attack.is_running or not scraper.is_alive()

        wait_for("the attack is over", is_over)
    assert most >= held, "the attack takes place"
    scraper.verify()


def test_an_idle_connection_takes_at_most_10_kb(programs, upstream):
    target = Target(programs, upstream, IDLE + 1000)
    connections = []
    with Scraper(target) as scraper:
        wait_for("the memory for scrapes has been allocated", lambda: len(scraper.times) >= 40)
        before = target.resident_bytes()
        try:
            for number in range(IDLE):
                connection = target.connect()
                connections.append(connection)
                # Half of them receive a response before they become idle.
                if number % 2:
                    connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    assert connection.recv(4096).startswith(b"HTTP/1.1 200 ")
            wait_for("all of them are open", lambda: target.descriptors() >= IDLE)
            each = (target.resident_bytes() - before) / IDLE
        finally:
            for connection in connections:
                connection.close()
    print(f"{each:.0f} bytes each")
    assert each < IDLE_BYTES
    scraper.verify()


def test_without_free_descriptors_open_connections_are_served_and_new_ones_soon_accepted(programs, upstream):
    def few_descriptors():
        resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))

    # No connection expires during the test: a new one is accepted only if the server closes an idle one for it.
    target = Target(programs, upstream, 1024, {"idle_timeout": "1h"}, preexec_fn=few_descriptors)
    kept = target.keep()
    target.scrape(kept)
    others = [target.connect() for _ in range(2 * DESCRIPTORS)]
    for _ in range(20):
        target.scrape(kept)
    # Connections leave descriptors for files.
    assert not [record for record in target.program.records() if "Too many open files" in str(record.get("error"))
                and record["module"] != "server"]
    # A connection can be evicted after being idle for one second.
    wait_for("a new connection is served", target.scrape, deadline=SOON)
    for connection in others:
        connection.close()
    wait_for("a new connection is served when the others are gone", target.scrape, deadline=SOON)
