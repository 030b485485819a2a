# SPDX-License-Identifier: MIT
"""Collects and encodes 1,000 devices of 45 series with prometheus_client; see main.go in this directory."""

import statistics
import sys
import time

from prometheus_client import CollectorRegistry, Gauge, generate_latest
from prometheus_client.core import GaugeMetricFamily

DEVICES, FAMILIES = 1000, 45
LABEL_NAMES = ["device_id", "device_name", "device_type"]
LABELS = [[f"e156e6cb-41cb-4b35-b0dd-{d:012d}", f"UPS-{d:05d}", "1"] for d in range(DEVICES)]


def family_name(f):
    return f"benchmark_device_reading_{f:02d}_volts"


def value(d, f, number):
    return (2000 + (d * 7 + f * 13 + number) % 1000) / 10


class Readings:
    number = 0

    def describe(self):
        return []

    def collect(self):
        for f in range(FAMILIES):
            family = GaugeMetricFamily(family_name(f), "A reading of a device.", labels=LABEL_NAMES)
            for d in range(DEVICES):
                family.add_metric(LABELS[d], value(d, f, self.number))
            yield family


def measure(name, rounds, update, registry):
    times = []
    for number in range(rounds):
        update(number)
        start = time.perf_counter()
        size = len(generate_latest(registry))
        times.append(time.perf_counter() - start)
    print(f"{name} {size / statistics.median(times):.0f} bytes/s\n{name}-size {size} bytes")


def main():
    rounds = int(sys.argv[1])
    registry = CollectorRegistry()
    readings = Readings()
    registry.register(readings)

    def renumber(number):
        readings.number = number

    measure("collector", rounds, renumber, registry)

    registry = CollectorRegistry()
    children = []
    for f in range(FAMILIES):
        gauge = Gauge(family_name(f), "A reading of a device.", LABEL_NAMES, registry=registry)
        children.append([gauge.labels(*labels) for labels in LABELS])

    def update(number):
        for f, row in enumerate(children):
            for d, child in enumerate(row):
                child.set(value(d, f, number))

    measure("instruments", rounds, update, registry)


main()
