# SPDX-License-Identifier: MIT
"""Python's prometheus_client reads the output of WPMetrics: metrics of every type, with arbitrary strings and
numbers."""

import json
import pathlib
import subprocess

import pytest

SEED, COUNT = 1, 2000  # expositions per format


@pytest.mark.needs("python3-venv")
def test_prometheus_client_agrees_on_generated_expositions(swift_product, virtualenv):
    python = virtualenv("prometheus_client==0.23.1")
    with subprocess.Popen([swift_product("wp-exposition-generator"), str(SEED), str(COUNT)], stdout=subprocess.PIPE) as generator:
        reader = subprocess.run(
            [python, pathlib.Path(__file__).with_name("read_expositions.py")], stdin=generator.stdout, capture_output=True,
            text=True, timeout=600)
        generator.stdout.close()
    assert reader.returncode == 0, reader.stderr
    read = json.loads(reader.stdout)
    assert read["text"] == COUNT and read["openmetrics"] == COUNT and read["samples"] > COUNT
